import { markdownOf } from '../pages/markdownOf.ts';
import type { Commands, CommandContext } from './commandContext.ts';

/** What happened while no one was there, and what to do about it. */
export function awayCommands({ away, engines, runs, reports }: CommandContext): Commands {
  return {
    async showWhileAway() {
      away.seen();
      return markdownOf(await reports.show('away'));
    },

    async resumeAll() {
      const { resumeAll } = await import('../away/resumeAll.ts');
      return resumeAll(away.interrupted(), { engines, runs, now: Date.now });
    },
  };
}
