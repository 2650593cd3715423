import * as vscode from 'vscode';
import type { EngineHost } from './engine/engineHost.ts';
import { ReadOnlyPages } from './readOnlyPages.ts';

const { t } = vscode.l10n;

const scheme = 'vitrine-cost';

/** What one session cost, turn by turn and message by message, as a page to read. */
export class CostPages implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #pages: ReadOnlyPages;

  constructor(engines: EngineHost) {
    this.#engines = engines;
    this.#pages = new ReadOnlyPages(scheme, (uri) => this.#report(uri.query));
  }

  show(id: string): Promise<void> {
    return this.#pages.preview(vscode.Uri.from({ scheme, path: `/${t('Cost Report')}.md`, query: id }));
  }

  dispose(): void {
    this.#pages.dispose();
  }

  async #report(id: string): Promise<string> {
    const [engine, { costReport }] = await Promise.all([this.#engines.get(), import('./costReport.ts')]);
    const handle = await engine.open(id);
    try {
      return await costReport(handle);
    } finally {
      handle.dispose();
    }
  }
}
