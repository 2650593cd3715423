import * as vscode from 'vscode';
import type { EngineHost } from '../engine/engineHost.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { sessionFolders } from '../../engine/folders/sessionFolders.ts';
import { onReturn } from '../window/onReturn.ts';
import type { SessionList } from './sessionList.ts';

/** Minimum interval in ms between reloads when the user returns to the window. */
const pause = 5000;

/** Loads stored sessions when the view is first visible, after a crash of a daemon, and when the user returns to the window. */
export class SessionLoader implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #list: SessionList;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscription: { dispose(): unknown };
  #firstLoad: Promise<void> | undefined;
  #last = 0;

  constructor(engines: EngineHost, list: SessionList, log: vscode.LogOutputChannel) {
    this.#engines = engines;
    this.#list = list;
    this.#log = log;
    this.#subscription = onReturn(vscode.window, () => {
      // A daemon of another version or machine writes without notice.
      if (this.#list.isComplete && performance.now() - this.#last > pause) void this.refresh();
    });
    engines.onCreated((engine) => {
      engine.onReconnected(() => {
        if (this.#list.isComplete) void this.#sweepAndList();
      });
    });
  }

  /** Once per window: cleans up after a crash, then lists. Never rejects. */
  load(): Promise<void> {
    this.#firstLoad ??= this.#sweepAndList();
    return this.#firstLoad;
  }

  /** At start-up, loads only if something depends on it, so that an idle window pays nothing. */
  async loadIfNeeded(store: vscode.Uri): Promise<void> {
    const filesIn = (name: string): Thenable<number> =>
      vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(store, name)).then(
        (files) => files.length,
        () => 0,
      );
    const leftovers = (await filesIn('leases')) + (await filesIn('callbacks'));
    if (leftovers > 0 || this.#list.live().length > 0) await this.load();
  }

  async refresh(): Promise<void> {
    this.#last = performance.now();
    try {
      const engine = await this.#engines.get();
      this.#list.replace(await engine.list());
      // Not awaited: a slow drive must not delay the list.
      void this.#countLost(engine.archive.unreadable.length);
    } catch (error) {
      this.#log.error(logLine('list failed', { error: String(error) }));
    }
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #countLost(unreadable: number): Promise<void> {
    const folders = await sessionFolders(this.#list.all());
    const missing = folders.flatMap(({ folder, isMissing }) => (isMissing && folder !== null ? [folder] : []));
    this.#list.lost = { unreadable, folders: new Set(missing) };
  }

  async #sweepAndList(): Promise<void> {
    try {
      const { ended, interrupted } = await (await this.#engines.get()).sweep();
      this.#log.info(logLine('sweep', { ended: ended.length, interrupted: interrupted.length }));
    } catch (error) {
      this.#log.error(logLine('sweep failed', { error: String(error) }));
    }
    await this.refresh();
  }
}
