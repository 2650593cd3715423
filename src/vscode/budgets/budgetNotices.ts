import * as vscode from 'vscode';
import { isSessionLive } from '../../model/session/status.ts';
import { inertText } from '../text/inertText.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { titleOf, type SessionRow } from '../sessions/sessionRow.ts';
import { nearLimitText, reachedText } from './budgetText.ts';

const { t } = vscode.l10n;

/** Notifies the user once about each limit that is near, was reached, or cannot be enforced. */
export class BudgetNotices implements vscode.Disposable {
  readonly #list: SessionList;
  readonly #openedAt: number;
  readonly #subscription: vscode.Disposable;
  readonly #reportedBudgets = new Set<string>();

  constructor(list: SessionList, now: number) {
    this.#list = list;
    this.#openedAt = now;
    this.#subscription = list.onDidChange(() => this.#notifyAboutBudgets());
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #notifyAboutBudgets(): void {
    for (const row of this.#list.here()) {
      const { near, reached, unheld } = row.budget ?? {};
      // Another window has already reported what happened before this one opened.
      if (reached !== undefined && Date.parse(reached.at) >= this.#openedAt) {
        this.#notify(`reached ${reached.at}`, row, t('“{0}” is paused. {1}', name(row), reachedText(reached)));
      }
      if (!isSessionLive(row.status)) continue;
      if (near !== undefined && near.spent < near.limit) {
        const which = `${near.scope} ${near.unit} ${near.limit}`;
        this.#notify(`${row.runs} ${which}`, row, t('“{0}”: {1}', name(row), nearLimitText(near)));
      }
      if (unheld !== undefined) this.#notify(`${row.runs} unheld`, row, t('“{0}”: {1}', name(row), inertText(unheld)));
    }
  }

  #notify(what: string, row: SessionRow, text: string): void {
    const once = `${row.session_id} ${what}`;
    if (this.#reportedBudgets.has(once)) return;
    this.#reportedBudgets.add(once);
    void show(row, text);
  }
}

const name = (row: SessionRow): string => inertText(titleOf(row));

async function show({ session_id: id, budget }: SessionRow, text: string): Promise<void> {
  const [raise, open] = [t('Raise Budget…'), t('Show')];
  const status = budget?.near ?? budget?.reached;
  const chosen = await vscode.window.showWarningMessage(text, ...(status === undefined ? [open] : [raise, open]));
  if (chosen === raise) await vscode.commands.executeCommand('vitrine.raiseBudget', id);
  if (chosen === open) await vscode.commands.executeCommand('vitrine.openSession', id);
}
