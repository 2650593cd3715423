import * as vscode from 'vscode';
import { attentionReason } from '../text/originLabel.ts';
import { inertText } from '../text/inertText.ts';
import type { SessionPanels } from '../panel/sessionPanels.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { quoteSafely } from '../../model/text/visibleText.ts';
import { needsYou, titleOf, type SessionRow } from '../sessions/sessionRow.ts';

const { t } = vscode.l10n;

interface OpenNotice {
  /** Subject of the notification; a request with another subject gets a new notification. */
  readonly about: string;
  close(): void;
}

/**
 * Notifies the user of a waiting request whose panel is not visible. The notification opens the panel and cannot answer
 * the request. It disappears with the request, which VS Code allows only for notifications with progress.
 */
export class ApprovalNotices implements vscode.Disposable {
  readonly #list: SessionList;
  readonly #panels: SessionPanels;
  readonly #shownNotices = new Map<string, OpenNotice>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(list: SessionList, panels: SessionPanels) {
    this.#list = list;
    this.#panels = panels;
    this.#disposables = [
      list.onDidChange(() => this.#updateNotices()),
      panels.onDidBecomeVisible((id) => this.#shownNotices.get(id)?.close()),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    for (const notice of this.#shownNotices.values()) notice.close();
  }

  #updateNotices(): void {
    const waiting = new Map(this.#list.waiting().map((row) => [row.session_id, row]));
    for (const [id, shown] of this.#shownNotices) {
      if (waiting.has(id)) continue;
      shown.close();
      this.#shownNotices.delete(id);
    }
    for (const row of waiting.values()) this.#notify(row);
  }

  #notify(row: SessionRow): void {
    const id = row.session_id;
    const { since = '', title = '' } = needsYou(row) ?? {};
    const about = `${since} ${title}`;
    const before = this.#shownNotices.get(id);
    if (before?.about === about) return;
    before?.close();
    this.#shownNotices.set(id, this.#panels.isVisible(id) ? { about, close: () => undefined } : show(row, about));
  }
}

function show(row: SessionRow, about: string): OpenNotice {
  let close = (): void => undefined;
  const over = new Promise<void>((resolve) => (close = resolve));
  const review = `command:vitrine.reviewRequest?${encodeURIComponent(JSON.stringify([row.session_id]))}`;
  const message = t('{0} needs you. {1}', inertText(quoteSafely(titleOf(row))), inertText(attentionReason(row)));
  // Put the link first, because VS Code cuts off the end of a long text.
  const options = { location: vscode.ProgressLocation.Notification, title: `[${t('Review')}](${review}) ${message}` };
  void vscode.window.withProgress(options, () => over);
  return { about, close };
}
