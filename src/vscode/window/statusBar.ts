import * as vscode from 'vscode';
import { attentionReason } from '../text/originLabel.ts';
import { nearLimitText } from '../budgets/budgetText.ts';
import { folderText } from '../daemon/folderText.ts';
import type { MachineRuns } from '../daemon/machineRuns.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { todayText } from '../sessions/rowText.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { quoteSafely } from '../../model/text/visibleText.ts';
import { titleOf } from '../sessions/sessionRow.ts';

const { t } = vscode.l10n;

/** Status bar items for pending requests, runs on this machine and today's cost; each hidden if empty. */
export class StatusBar implements vscode.Disposable {
  readonly #requestsItem = vscode.window.createStatusBarItem('vitrine.needsYou', vscode.StatusBarAlignment.Left, 11);
  readonly #statusItem = vscode.window.createStatusBarItem('vitrine.status', vscode.StatusBarAlignment.Left, 10);
  readonly #list: SessionList;
  readonly #machine: MachineRuns;
  readonly #subscription: vscode.Disposable;

  constructor(list: SessionList, machine: MachineRuns) {
    this.#list = list;
    this.#machine = machine;
    this.#statusItem.name = t('Vitrine: Running Agents and Cost');
    this.#statusItem.command = 'vitrine.sessions.focus';
    this.#requestsItem.name = t('Vitrine: Requests');
    this.#requestsItem.command = 'vitrine.reviewRequest';
    this.#requestsItem.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#subscription = vscode.Disposable.from(
      list.onDidChange(() => this.#draw()),
      machine.onDidChange(() => this.#draw()),
    );
    this.#draw();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#statusItem.dispose();
    this.#requestsItem.dispose();
  }

  #draw(): void {
    this.#drawWaiting();
    const folders = this.#machine.runsByFolder();
    const own = folders.reduce((sum, { runs }) => sum + runs.length, 0);
    const running = own + this.#list.observed().filter(({ status }) => isSessionLive(status)).length;
    const cost = this.#list.costToday();
    if (running === 0 && !cost.hasSessions) {
      this.#statusItem.hide();
      return;
    }
    const today = todayText(cost);
    const parts = [...(running > 0 ? [t('{0} running', running)] : []), ...(cost.hasSessions ? [today] : [])];
    const near = this.#list.live().flatMap(({ budget }) => budget?.near ?? []);
    const mark = near.length === 0 ? '$(pulse)' : '$(warning)';
    this.#statusItem.text = `${mark} ${parts.join(' · ')}`;
    this.#statusItem.tooltip = [
      t('Vitrine: {0}', parts.join(' · ')),
      ...folders.map(folderText),
      ...(cost.isEstimated ? [t('≈: includes estimates at list prices.')] : []),
      ...near.map(nearLimitText),
      ...(cost.isLowerBound ? [t('at least: some agents do not store every billed request.')] : []),
      ...(cost.hasUnknownCosts ? [t('unknown: some runs did not report their cost.')] : []),
    ].join('\n');
    this.#statusItem.accessibilityInformation = { label: t('Vitrine: {0}', parts.join(', ')), role: 'button' };
    this.#statusItem.show();
  }

  #drawWaiting(): void {
    const rows = this.#list.waiting();
    if (rows.length === 0) {
      this.#requestsItem.hide();
      return;
    }
    const text = rows.length === 1 ? t('1 needs you') : t('{0} need you', rows.length);
    this.#requestsItem.text = `$(shield) ${text}`;
    this.#requestsItem.tooltip = rows.map((row) => `${quoteSafely(titleOf(row))}: ${attentionReason(row)}`).join('\n');
    this.#requestsItem.accessibilityInformation = { label: t('Vitrine: {0}', text), role: 'button' };
    this.#requestsItem.show();
  }
}
