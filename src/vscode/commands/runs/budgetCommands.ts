import * as vscode from 'vscode';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';

const { t } = vscode.l10n;

/** Raises budgets. The amount always comes from the user, not from the caller. */
export function budgetCommands(shell: CommandContext): Commands {
  return {
    async raiseBudget(argument) {
      const id = await pickSession(shell, argument, {
        title: t('Raise Budget'),
        filter: (row) => row.budget?.near !== undefined || row.budget?.reached !== undefined,
      });
      if (id === undefined) return undefined;
      return shell.runs.raiseBudget(id);
    },
  };
}
