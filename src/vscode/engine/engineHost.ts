import * as vscode from 'vscode';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { OwnShare } from '../../protocol/daemon/team.ts';
import type { CreateEngineDeps } from './createEngine.ts';
import type { WindowEngine } from './windowEngine.ts';

export interface EngineHostDeps extends CreateEngineDeps {
  readonly onSummary: (summary: SessionSummary) => void;
  readonly onRemoved: (sessionId: string) => void;
  /** The team sees more or less of these own sessions. */
  readonly onSharesChanged: (shares: readonly OwnShare[]) => void;
}

/** Creates this window's engine on first use, because loading it would slow down activation. */
export class EngineHost implements vscode.Disposable {
  readonly #deps: EngineHostDeps;
  readonly #readyListeners: ((engine: WindowEngine) => void)[] = [];
  readonly #subscriptions: vscode.Disposable;
  #engine: Promise<WindowEngine> | undefined;

  constructor(deps: EngineHostDeps) {
    this.#deps = deps;
    const announce = (): void => this.announce();
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(announce),
      vscode.workspace.onDidChangeWorkspaceFolders(announce),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('vitrine')) announce();
      }),
      deps.secrets.onDidChange(announce),
    );
  }

  get(): Promise<WindowEngine> {
    this.#engine ??= this.#create();
    return this.#engine;
  }

  /** Calls `listener` when the engine is created, without creating it. */
  onCreated(listener: (engine: WindowEngine) => void): void {
    if (this.#engine === undefined) this.#readyListeners.push(listener);
    else void this.#engine.then(listener);
  }

  /** Notifies the daemon about changes in this window, if connected. */
  announce(): void {
    void this.#engine?.then((engine) => engine.announce());
  }

  /** Disconnects from the daemon; runs continue. */
  dispose(): void {
    this.#subscriptions.dispose();
    void this.#engine?.then((engine) => engine.dispose());
  }

  async #create(): Promise<WindowEngine> {
    const { createEngine } = await import('./createEngine.ts');
    const engine = createEngine(this.#deps);
    engine.onSummary(this.#deps.onSummary);
    engine.onRemoved(this.#deps.onRemoved);
    engine.onShares(this.#deps.onSharesChanged);
    for (const listener of this.#readyListeners.splice(0)) listener(engine);
    return engine;
  }
}
