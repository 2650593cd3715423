import { markdownOf } from '../pages/markdownOf.ts';
import type { Commands, CommandContext } from './commandContext.ts';

/** Commands for what happened while the user was away. */
export function awayCommands({ away, engines, runs, reports }: CommandContext): Commands {
  return {
    async showWhileAway() {
      away.markSeen();
      return markdownOf(await reports.show('away'));
    },

    async resumeAll() {
      const { resumeAll } = await import('../away/resumeAll.ts');
      return resumeAll(away.interruptedSessions(), { engines, runs, now: Date.now });
    },
  };
}
