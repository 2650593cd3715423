import type * as vscode from 'vscode';
import type { BlueprintAccess } from '../engine/blueprints/access.ts';
import type { Engine } from '../engine/engine.ts';
import type { SessionSummary } from '../model/summary.ts';

export interface EnginePaths {
  /** Folder of the records. */
  readonly store: string;
  /** Folder of the demo's recordings. */
  readonly demo: string;
  /** Of Vitrine. */
  readonly version: string;
}

/** The engine of this window, made when it is first wanted: what it needs must not slow activation down. */
export class EngineHost {
  readonly #paths: EnginePaths;
  readonly #secrets: vscode.SecretStorage;
  readonly #blueprints: BlueprintAccess;
  readonly #log: vscode.LogOutputChannel;
  readonly #onSummary: (summary: SessionSummary) => void;
  readonly #waiting: ((engine: Engine) => void)[] = [];
  #engine: Promise<Engine> | undefined;

  constructor(
    paths: EnginePaths,
    secrets: vscode.SecretStorage,
    blueprints: BlueprintAccess,
    log: vscode.LogOutputChannel,
    onSummary: (summary: SessionSummary) => void,
  ) {
    this.#paths = paths;
    this.#secrets = secrets;
    this.#blueprints = blueprints;
    this.#log = log;
    this.#onSummary = onSummary;
  }

  get(): Promise<Engine> {
    this.#engine ??= this.#create();
    return this.#engine;
  }

  /** Tells the engine as soon as there is one; asking makes none. */
  whenMade(listener: (engine: Engine) => void): void {
    if (this.#engine === undefined) this.#waiting.push(listener);
    else void this.#engine.then(listener);
  }

  /** Stops what the engine started. VS Code waits five seconds at most, and then nobody can. */
  async dispose(): Promise<void> {
    if (this.#engine !== undefined) await (await this.#engine).dispose();
  }

  async #create(): Promise<Engine> {
    const { createEngine } = await import('./createEngine.ts');
    const engine = createEngine(this.#paths, this.#secrets, this.#blueprints, this.#log);
    engine.onSummary(this.#onSummary);
    for (const listener of this.#waiting.splice(0)) listener(engine);
    return engine;
  }
}
