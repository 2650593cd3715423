import * as vscode from 'vscode';
import { logLine } from '../../engine/log/logLine.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import type { DueFollowUp } from './plannedFollowUps.ts';

/** Set if the next window should start the daemon for follow-ups. */
const key = 'followUps';

export interface FollowUpWatchDeps {
  readonly engines: EngineHost;
  readonly agents: AgentCatalogue;
  readonly state: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Follow-ups planned by the daemon, and the user's actions on them. */
export class FollowUpWatch implements vscode.Disposable {
  readonly #deps: FollowUpWatchDeps;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: { dispose(): unknown }[];
  #engine: WindowEngine | undefined;
  readonly onDidChange = this.#changed.event;

  constructor(deps: FollowUpWatchDeps) {
    this.#deps = deps;
    this.#disposables = [
      this.#changed,
      // Agent files configure follow-ups, too.
      deps.agents.onDidChange(() => deps.engines.announce()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('vitrine.followUps')) void this.#reportProblems();
      }),
    ];
    void this.#reportProblems();
    deps.engines.onCreated((engine) => {
      this.#engine = engine;
      this.#disposables.push(engine.followUps.onChange(() => this.#notify()));
      this.#notify();
    });
    // The daemon needs this window's settings to plan follow-ups.
    if (deps.state.get<unknown>(key) === true) void deps.engines.get();
  }

  /** Soonest first. */
  due(): readonly DueFollowUp[] {
    return this.#engine?.followUps.due() ?? [];
  }

  get isPaused(): boolean {
    return this.#engine?.followUps.paused ?? false;
  }

  async cancel(id: string): Promise<void> {
    await this.#engine?.followUps.cancel(id);
  }

  async turn(id: string, on: boolean): Promise<void> {
    await (await this.#deps.engines.get()).followUps.turn(id, on);
  }

  async pause(paused: boolean): Promise<void> {
    await (await this.#deps.engines.get()).followUps.pause(paused);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #notify(): void {
    this.#changed.fire();
    const isPlanned = this.due().length > 0 ? true : undefined;
    if (this.#deps.state.get<unknown>(key) !== isPlanned) void this.#deps.state.update(key, isPlanned);
  }

  /** The validation is only loaded if there are settings. */
  async #reportProblems(): Promise<void> {
    if (vscode.workspace.getConfiguration('vitrine').inspect('followUps')?.globalValue === undefined) return;
    const { followUpProblems } = await import('./followUpSettings.ts');
    for (const problem of followUpProblems()) {
      this.#deps.log.error(logLine('setting vitrine.followUps', { problem }));
    }
  }
}
