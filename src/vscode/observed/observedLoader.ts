import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { storeVariables } from '../../agents/stores/variables.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { SourceScope } from '../../protocol/daemon/sources.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { keepsObserved } from '../settings/settings.ts';
import { noFilter, scopeOf } from './filter.ts';

/** Sessions of other programs that the view holds; the oldest are left out. */
const mostSessions = 5000;
const key = 'sessionScope';

interface ObservedLoaderDeps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly state: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Brings the sessions of other programs into the list, from when the Sessions view is first seen. */
export class ObservedLoader implements vscode.Disposable {
  readonly #deps: ObservedLoaderDeps;
  readonly #subscriptions: { dispose(): unknown }[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  #first: Promise<void> | undefined;
  #lookedIn: readonly string[] = [];
  #outOfScope = 0;
  /** What `lookedIn` and `outOfScope` say may be different. */
  readonly onDidChange = this.#changed.event;

  constructor(deps: ObservedLoaderDeps) {
    this.#deps = deps;
    deps.list.filter = { ...noFilter, scope: scopeOf(deps.state.get<unknown>(key)) };
  }

  /** Folders in which sessions are looked for; none before the first look. */
  get lookedIn(): readonly string[] {
    return this.#lookedIn;
  }

  /** Sessions of other programs in other folders, when they were listed. */
  get outOfScope(): number {
    return this.#outOfScope;
  }

  /** Once per window. Never rejects. */
  load(): Promise<void> {
    this.#first ??= this.#begin();
    return this.#first;
  }

  async setScope(scope: SourceScope): Promise<void> {
    const { list, state } = this.#deps;
    list.filter = { ...list.filter, scope };
    await state.update(key, { scope });
    if (this.#first !== undefined) await this.#watch();
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose();
    this.#changed.dispose();
  }

  async #begin(): Promise<void> {
    const engine = await this.#deps.engines.get();
    this.#subscriptions.push(
      engine.onSources((found) => this.#take(found)),
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
      const variables = storeVariables.flatMap((name): [string, string][] => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      });
      const found = await engine.watchSources({
        home: process.env['HOME'] ?? process.env['USERPROFILE'] ?? homedir(),
        variables: Object.fromEntries(variables),
        scope: list.filter.scope,
        folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
        limit: mostSessions,
        keep_all: keepsObserved() === 'all',
      });
      this.#take(found);
      const ms = Math.round(performance.now() - began);
      log.info(logLine('sources', { sessions: found.sessions.length, out: found.out_of_scope, ms }));
    } catch (error) {
      log.error(logLine('sources failed', { error: String(error) }));
    }
  }

  #take({ sessions, kept, looked_in, out_of_scope }: ResultOf<'watchSources'>): void {
    this.#lookedIn = looked_in;
    this.#outOfScope = out_of_scope;
    this.#deps.list.replaceObserved(sessions, kept);
    this.#changed.fire();
  }
}
