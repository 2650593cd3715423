import * as vscode from 'vscode';
import { isSessionLive } from '../../model/session/status.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { SessionPanels } from '../panel/sessionPanels.ts';
import type { SessionList } from './sessionList.ts';
import type { SessionLoader } from './sessionLoader.ts';
import type { SessionRow } from './sessionRow.ts';
import { retentionDays } from '../settings/settings.ts';

const { t } = vscode.l10n;
const day = 86_400_000;

interface RetentionDeps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly loader: SessionLoader;
  readonly panels: SessionPanels;
  readonly log: vscode.LogOutputChannel;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Retention of sessions: compresses according to the settings, and deletes only what the user confirms. */
export class Retention implements vscode.Disposable {
  readonly #deps: RetentionDeps;
  readonly #listSubscription: vscode.Disposable;
  #hasBegun = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#listSubscription = deps.list.onDidChange(() => {
      if (this.#hasBegun || !deps.list.isComplete) return;
      this.#hasBegun = true;
      void this.#begin();
    });
  }

  /** Ended sessions of all folders that were inactive for so long. */
  findInactive(days: number): readonly SessionRow[] {
    const before = this.#deps.now() - days * day;
    return this.#deps.list.all().filter((row) => !isSessionLive(row.status) && Date.parse(row.updated_at) < before);
  }

  /** Returns the number of freed bytes. */
  async pack(rows: readonly SessionRow[]): Promise<number> {
    const engine = await this.#deps.engines.get();
    const { bytes, packed } = await engine.archive.pack(rows.map((row) => row.session_id));
    return bytes - packed;
  }

  /** Asks for confirmation. Returns false if the user declined. */
  async remove(rows: readonly SessionRow[], reason: 'user' | 'retention'): Promise<boolean> {
    const { engines, list, loader, panels } = this.#deps;
    const confirm = t('Delete Permanently');
    const asked =
      rows.length === 1
        ? t('Permanently delete the record of 1 session?')
        : t('Permanently delete the records of {0} sessions?', rows.length);
    const detail = t('You cannot recover their content. The audit keeps a note of the deletion.');
    if ((await vscode.window.showWarningMessage(asked, { modal: true, detail }, confirm)) !== confirm) return false;
    const engine = await engines.get();
    try {
      for (const { session_id: id } of rows) {
        panels.close(id);
        await engine.remove(id, reason);
        list.remove(id);
      }
    } finally {
      await loader.refresh();
    }
    return true;
  }

  dispose(): void {
    this.#listSubscription.dispose();
  }

  async #begin(): Promise<void> {
    const { pack, remove } = retentionDays();
    try {
      if (pack > 0) {
        const freed = await this.pack(this.findInactive(pack));
        this.#deps.log.info(logLine('packed', { freed }));
      }
    } catch (error) {
      this.#deps.log.error(logLine('packing failed', { error: String(error) }));
    }
    const old = remove > 0 ? this.findInactive(remove) : [];
    if (old.length === 0) return;
    const text =
      old.length === 1
        ? t('1 session is older than {0} days.', remove)
        : t('{0} sessions are older than {1} days.', old.length, remove);
    const yes = t('Delete…');
    if ((await vscode.window.showInformationMessage(text, yes, t('Not Now'))) === yes)
      await this.remove(old, 'retention');
  }
}
