import * as vscode from 'vscode';
import type { Commands, Shell } from './shell.ts';
import { whichSession } from './whichSession.ts';

const { t } = vscode.l10n;

/** More for a session; the amount is always asked of a person, whoever calls the command. */
export function budgetCommands(shell: Shell): Commands {
  return {
    async raiseBudget(argument) {
      const id = await whichSession(shell, argument, {
        title: t('Raise Budget'),
        filter: (row) => row.budget?.near !== undefined || row.budget?.reached !== undefined,
      });
      if (id === undefined) return undefined;
      return shell.runs.raiseBudget(id);
    },
  };
}
