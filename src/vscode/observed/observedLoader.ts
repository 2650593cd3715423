import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { storeRoots, storeVariables } from '../../agents/stores/roots.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { observedToKeep } from '../settings/settings.ts';
import { ViewProgress } from '../window/viewProgress.ts';
import { noFilter, scopeOf, type ViewScope } from './filter.ts';

/** Maximum number of sessions from other programs; the oldest are dropped. */
const maxSessions = 5000;
const key = 'sessionScope';

interface ObservedLoaderDeps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly state: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Loads sessions from other programs into the list. */
export class ObservedLoader implements vscode.Disposable {
  readonly #deps: ObservedLoaderDeps;
  readonly #subscriptions: { dispose(): unknown }[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #progress = new ViewProgress('vitrine.sessions');
  #firstLoad: Promise<void> | undefined;
  #searchedFolders: readonly string[] = [];
  #outOfScope = 0;
  /** Fires when `searchedFolders` or `outOfScope` may have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: ObservedLoaderDeps) {
    this.#deps = deps;
    deps.list.filter = { ...noFilter, scope: scopeOf(deps.state.get<unknown>(key)) };
  }

  /** Searched folders; empty before the first search. */
  get searchedFolders(): readonly string[] {
    return this.#searchedFolders;
  }

  /** Number of other programs' sessions in other folders, as of the last search. */
  get outOfScope(): number {
    return this.#outOfScope;
  }

  /** Runs once per window. Never rejects. */
  load(): Promise<void> {
    this.#firstLoad ??= this.#begin();
    return this.#firstLoad;
  }

  /** At start-up, loads only if an agent has a store, so that other windows pay nothing. */
  async loadIfNeeded(): Promise<void> {
    const place = { ...storeLocations(), platform: process.platform };
    for (const { path } of Object.values(storeRoots).flatMap((roots) => roots(place))) {
      if (await exists(vscode.Uri.file(path))) return this.load();
    }
    this.#deps.list.replaceObserved([], []);
  }

  async setScope(scope: ViewScope): Promise<void> {
    const { list, state } = this.#deps;
    list.filter = { ...list.filter, scope };
    await state.update(key, { scope });
    if (this.#firstLoad !== undefined) await this.#watch();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#progress.show(false);
    this.#changed.dispose();
  }

  async #begin(): Promise<void> {
    const engine = await this.#deps.engines.get();
    this.#subscriptions.push(
      engine.onSourcesReset((found) => {
        this.#applyResult(found);
        void this.#listShared();
      }),
      engine.onIndexing((progress) => this.#progress.show(progress !== null)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#watch()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('vitrine.sources.keep')) void this.#watch();
      }),
    );
    await this.#watch();
  }

  async #watch(): Promise<void> {
    const { engines, list, log } = this.#deps;
    const began = performance.now();
    try {
      const engine = await engines.get();
      const { home, env } = storeLocations();
      const found = await engine.watchSources({
        home,
        variables: env,
        scope: list.filter.scope === 'team' ? 'repository' : list.filter.scope,
        folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
        limit: maxSessions,
        keep_all: observedToKeep() === 'all',
      });
      this.#applyResult(found);
      await this.#listShared();
      const ms = Math.round(performance.now() - began);
      log.info(logLine('sources', { sessions: found.sessions.length, out: found.out_of_scope, ms }));
    } catch (error) {
      log.error(logLine('sources failed', { error: String(error) }));
      // Stops waiting for the sessions.
      if (!list.isObservedComplete) list.replaceObserved([], []);
    }
  }

  /** Sessions of other team members; news has their changes. Never rejects. */
  async #listShared(): Promise<void> {
    const { engines, list, log } = this.#deps;
    try {
      list.replaceShared(await (await engines.get()).team.sharedSessions());
    } catch (error) {
      log.warn(logLine('shared sessions failed', { error: String(error) }));
    }
  }

  #applyResult({ sessions, kept: copies, looked_in, out_of_scope, cleanup_days }: ResultOf<'watchSources'>): void {
    this.#searchedFolders = looked_in;
    this.#outOfScope = out_of_scope;
    this.#deps.list.cleanupDays = cleanup_days;
    this.#deps.list.replaceObserved(sessions, copies);
    this.#changed.fire();
  }
}

function storeLocations(): { readonly home: string; readonly env: Record<string, string> } {
  const env = storeVariables.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    home: process.env['HOME'] ?? process.env['USERPROFILE'] ?? homedir(),
    env: Object.fromEntries(env),
  };
}

function exists(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
