import * as vscode from 'vscode';
import { money } from './rowText.ts';
import type { SessionList } from './sessionList.ts';

const { t } = vscode.l10n;

/** What runs here and what this workspace cost today; out of sight when there is neither. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('vitrine.status', vscode.StatusBarAlignment.Left, 10);
  readonly #list: SessionList;
  readonly #subscription: vscode.Disposable;

  constructor(list: SessionList) {
    this.#list = list;
    this.#item.name = t('Vitrine: Running Agents and Cost');
    this.#item.command = 'vitrine.sessions.focus';
    this.#subscription = list.onDidChange(() => this.#draw());
    this.#draw();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #draw(): void {
    const running = this.#list.live().length;
    const cost = this.#list.costToday();
    if (running === 0 && !cost.any) {
      this.#item.hide();
      return;
    }
    const amount = `${cost.estimated ? '≈ ' : ''}${money(cost.usd)}`;
    const today = cost.unknown ? t('{0} + unknown today', amount) : t('{0} today', amount);
    const parts = [...(running > 0 ? [t('{0} running', running)] : []), ...(cost.any ? [today] : [])];
    this.#item.text = `$(pulse) ${parts.join(' · ')}`;
    this.#item.tooltip = [
      t('Vitrine: {0}', parts.join(' · ')),
      ...(cost.estimated ? [t('≈: part of it is estimated while agents run.')] : []),
      ...(cost.unknown ? [t('unknown: some runs did not report what they cost.')] : []),
    ].join('\n');
    this.#item.accessibilityInformation = { label: t('Vitrine: {0}', parts.join(', ')), role: 'button' };
    this.#item.show();
  }
}
