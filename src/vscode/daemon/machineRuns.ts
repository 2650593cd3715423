import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { defaultStore } from '../../client/machine/defaultStore.ts';
import type { StoreRuns } from '../../client/machine/storeRuns.ts';
import { watchEndpoint } from '../../client/machine/watchEndpoint.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import { runsByFolder, type FolderRuns, type MachineRun } from './runsByFolder.ts';

interface MachineRunsDeps {
  /** Folder of this editor's records. The command line has its own. */
  readonly store: string;
  /** Version of Vitrine. */
  readonly version: string;
  readonly list: SessionList;
  readonly log: vscode.LogOutputChannel;
}

/** Running sessions on this machine, in all windows and terminals. Connects to existing daemons and starts none. */
export class MachineRuns implements vscode.Disposable {
  readonly #deps: MachineRunsDeps;
  readonly #changed = new vscode.EventEmitter<void>();
  #watches: readonly { dispose(): void }[] = [];
  readonly #folders: readonly string[];
  readonly #stores = new Map<string, Promise<StoreRuns>>();
  readonly #loadedStores = new Set<StoreRuns>();
  #isDisposed = false;
  readonly onDidChange = this.#changed.event;

  constructor(deps: MachineRunsDeps) {
    this.#deps = deps;
    this.#folders = [...new Set([deps.store, defaultStore(process.env, homedir())])];
  }

  /** Finds daemons from now on. */
  watch(): void {
    if (this.#isDisposed) return;
    this.#watches = this.#folders.map((storeDir) => watchEndpoint(storeDir, () => void this.#connect(storeDir)));
  }

  /** Running sessions by folder, including those of this window. */
  runsByFolder(): readonly FolderRuns[] {
    const rows = [...[...this.#loadedStores].flatMap((store) => store.liveSessions()), ...this.#deps.list.live()];
    return runsByFolder(
      rows.map((row): MachineRun => ({ id: row.session_id, title: titleOf(row), folder: row.project_dir })),
    );
  }

  /** Stops all runs after the user confirms. Returns the number of stopped agents. */
  async stopAll(): Promise<number> {
    const { stopAll } = await import('./stopAll.ts');
    return stopAll({ ...this.#deps, stores: this.#folders });
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const watch of this.#watches) watch.dispose();
    for (const runs of this.#loadedStores) runs.dispose();
    this.#changed.dispose();
  }

  /** The client code is loaded only if there is a daemon. */
  async #connect(storeDir: string): Promise<void> {
    const runs = this.#stores.get(storeDir) ?? this.#make(storeDir);
    this.#stores.set(storeDir, runs);
    await (await runs).connect();
  }

  async #make(storeDir: string): Promise<StoreRuns> {
    const { StoreRuns } = await import('../../client/machine/storeRuns.ts');
    const { version: build, log } = this.#deps;
    const onChange = (): void => {
      if (!this.#isDisposed) this.#changed.fire();
    };
    const store = new StoreRuns({ storeDir, build, log, onChange });
    if (this.#isDisposed) store.dispose();
    else this.#loadedStores.add(store);
    return store;
  }
}
