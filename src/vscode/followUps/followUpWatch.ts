import * as vscode from 'vscode';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { logLine } from '../../engine/logLine.ts';
import type { DueFollowUp, FollowUpScheduler } from '../../engine/followUps/scheduler.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { RunControl } from '../runControl.ts';
import { whyNot } from '../sessionView.ts';

/** Says that the next window has something to watch. */
const key = 'followUps';

export interface FollowUpWatchDeps {
  readonly engines: EngineHost;
  readonly runs: RunControl;
  readonly agents: AgentCatalogue;
  readonly state: vscode.Memento;
  /** Where records are kept; what holds for all windows stands beside them. */
  readonly store: vscode.Uri;
  readonly now: () => number;
  readonly log: vscode.LogOutputChannel;
}

/** Follow-ups of this window's sessions: plans them while it is trusted, and is told by a person to stop. */
export class FollowUpWatch implements vscode.Disposable {
  readonly #deps: FollowUpWatchDeps;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: { dispose(): unknown }[];
  #scheduler: FollowUpScheduler | undefined;
  #paused = false;
  readonly onDidChange = this.#changed.event;

  constructor(deps: FollowUpWatchDeps) {
    this.#deps = deps;
    const again = (): void => void this.#lookAtAll();
    this.#disposables = [
      this.#changed,
      vscode.workspace.onDidGrantWorkspaceTrust(again),
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      deps.agents.onDidChange(again),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('vitrine.followUps')) return;
        void this.#tellProblems();
        again();
      }),
    ];
    void this.#tellProblems();
    deps.engines.whenMade((engine) => void this.#begin(engine));
    // What was planned in an earlier window goes on in this one.
    if (deps.state.get<unknown>(key) === true) void deps.engines.get();
  }

  /** Soonest first. */
  due(): readonly DueFollowUp[] {
    return this.#scheduler?.due() ?? [];
  }

  get paused(): boolean {
    return this.#paused;
  }

  async cancel(id: string): Promise<void> {
    await this.#scheduler?.cancel(id);
  }

  async turn(id: string, on: boolean): Promise<void> {
    await (await this.#deps.engines.get()).followUps.turn(id, on);
  }

  async pause(paused: boolean): Promise<void> {
    const { followUps } = await this.#deps.engines.get();
    await followUps.pause(paused);
    await this.#setPaused(paused);
  }

  dispose(): void {
    this.#scheduler?.dispose();
    for (const each of this.#disposables) each.dispose();
  }

  async #begin(engine: WindowEngine): Promise<void> {
    const { FollowUpScheduler } = await import('../../engine/followUps/scheduler.ts');
    const { now, log, runs } = this.#deps;
    this.#scheduler = new FollowUpScheduler({
      engine,
      clock: now,
      log,
      mayFollow,
      send: (due) => runs.followUp(due.sessionId, due.prompt, due.trigger),
      after: (ms, then) => {
        const timer = setTimeout(then, ms);
        return { dispose: () => clearTimeout(timer) };
      },
    });
    this.#scheduler.changed.on(() => this.#tell());
    await this.#watchPause();
    this.#paused = await engine.followUps.paused();
    this.#changed.fire();
    await this.#lookAtAll();
  }

  /** Of the file that holds for all windows. A folder that is not there yet is not watched well. */
  async #watchPause(): Promise<void> {
    const folder = vscode.Uri.joinPath(this.#deps.store, 'follow-ups');
    await vscode.workspace.fs.createDirectory(folder);
    const file = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, 'paused'));
    const look = (): void => void this.#lookWhetherPaused();
    this.#disposables.push(file, file.onDidCreate(look), file.onDidDelete(look));
  }

  /** Another window of this machine may have paused all, or let them go on. */
  async #lookWhetherPaused(): Promise<void> {
    if (this.#scheduler === undefined) return;
    await this.#setPaused(await (await this.#deps.engines.get()).followUps.paused());
  }

  async #setPaused(paused: boolean): Promise<void> {
    if (paused === this.#paused) return;
    this.#deps.log.info(logLine(paused ? 'follow-ups paused' : 'follow-ups go on'));
    this.#paused = paused;
    if (paused) this.#scheduler?.dropAll();
    this.#changed.fire();
    if (!paused) await this.#lookAtAll();
  }

  #tell(): void {
    this.#changed.fire();
    void this.#deps.state.update(key, this.due().length > 0 ? true : undefined);
  }

  async #lookAtAll(): Promise<void> {
    try {
      await this.#scheduler?.lookAtAll();
    } catch (error) {
      this.#deps.log.error(logLine('follow-ups not planned', { error: String(error) }));
    }
  }

  /** What checks the settings is not loaded where there is none. */
  async #tellProblems(): Promise<void> {
    if (vscode.workspace.getConfiguration('vitrine').inspect('followUps')?.globalValue === undefined) return;
    const { followUpProblems } = await import('./followUpSettings.ts');
    for (const problem of followUpProblems()) {
      this.#deps.log.error(logLine('setting vitrine.followUps', { problem }));
    }
  }
}

function mayFollow(summary: SessionSummary): boolean {
  return vscode.workspace.isTrusted && whyNot(summary, false) === undefined;
}
