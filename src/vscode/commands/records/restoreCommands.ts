import * as vscode from 'vscode';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { entryOf, pickSession } from '../pick.ts';

const { t } = vscode.l10n;

/** Commands for the prompts of a session. */
export function restoreCommands(shell: CommandContext): Commands {
  return {
    /** Restores the files at the prompt whose menu was opened, or at `index`. Returns whether files were restored. */
    async restoreFiles(argument, index) {
      const entry = typeof index === 'number' ? index : entryOf(argument);
      if (entry === undefined || !canStartAgents()) return false;
      const session = await pickSession(shell, argument, { title: t('Restore Files') });
      if (session === undefined) return false;
      const { restoreToPrompt } = await import('../../restore/restoreFiles.ts');
      return (await restoreToPrompt(await shell.engines.get(), session, entry)) === 'restored';
    },

    /** The same, with the message if it is known. Returns the new session's id. */
    async forkFromHere(argument, index, message) {
      const entry = typeof index === 'number' ? index : entryOf(argument);
      if (entry === undefined || !canStartAgents()) return undefined;
      const session = await pickSession(shell, argument, { title: t('Fork Session') });
      if (session === undefined) return undefined;
      const { askForFork } = await import('../../resume/forkAt.ts');
      const engine = await shell.engines.get();
      const text = typeof message === 'string' ? message : await askForFork(engine, { session, entry });
      if (text === undefined) return undefined;
      const forked = await shell.runs.fork(session, text, entry);
      if (forked !== undefined) await shell.panels.open(forked);
      return forked;
    },
  };
}
