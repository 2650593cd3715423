import { hostname } from 'node:os';
import * as vscode from 'vscode';
import type { CreateRunRequest } from '../../coordinator/api.ts';
import type { AgentReport } from '../../engine/api.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { ChangedRun } from '../../protocol/daemon/queue.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { runnerSettings } from '../settings/settings.ts';
import { inertText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Delay in ms after activation, so that the window starts first. */
const firstCheckDelayMs = 3000;

export interface WindowRunnersDeps {
  readonly store: vscode.Uri;
  readonly version: string;
  readonly engines: EngineHost;
  readonly agents: AgentCatalogue;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Declares to the daemon that it may run each agent found here in the folders of this window. Starts when the queue is
 * used or an agent file exists; never in Restricted Mode or if the setting is off.
 */
export class WindowRunners {
  readonly #deps: WindowRunnersDeps;
  readonly #disposables: readonly vscode.Disposable[];
  readonly #timer: NodeJS.Timeout;
  #isWanted = false;
  #isSettled = false;
  #isDeclared = false;
  /** Runs that were queued here and have not ended. */
  readonly #created = new Set<string>();
  #isListening = false;

  constructor(deps: WindowRunnersDeps) {
    this.#deps = deps;
    const { store, agents } = deps;
    const queue = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(store, 'coordinator'));
    this.#disposables = [
      queue,
      queue.onDidCreate(() => this.#requestFit()),
      agents.onDidChange((found) => {
        if (found.length > 0) this.#requestFit();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#fit()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('vitrine.runner')) this.#declareAgain();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#declareAgain()),
    ];
    this.#timer = setTimeout(() => void this.#lookForQueue(), firstCheckDelayMs);
  }

  /** Queues a run in `folder`. Its session shows the progress; a message reports a failure. @throws EngineFailure */
  async create(folder: string, request: Omit<CreateRunRequest, 'project_dir'>): Promise<Run> {
    const { queue } = await this.#deps.engines.get();
    if (!this.#isListening) queue.onRun((run) => this.#reportFailure(run));
    this.#isListening = true;
    const run = await queue.createRun({ ...request, project_dir: folder });
    this.#created.add(run.run_id);
    this.#requestFit();
    return run;
  }

  /**
   * Stops a session that does not run in this version's daemon: it waits in the queue, or runs in an earlier daemon.
   */
  async stop(session: string): Promise<void> {
    const { engines, store, version } = this.#deps;
    if (await this.#isQueueThere()) {
      const { queue } = await engines.get();
      const run = (await queue.runs({ session_id: session })).find(({ status }) => !isRunOver(status));
      if (run !== undefined) {
        await queue.stopRun(run.run_id);
        return;
      }
    }
    const { findRuns } = await import('../../client/machine/findRuns.ts');
    const { runs, close } = await findRuns([store.fsPath], version);
    try {
      for (const run of runs) if (run.session_id === session) await run.stop();
    } finally {
      close();
    }
  }

  /** Takes no more runs. Active ones belong to the daemon and continue when this process ends. */
  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #lookForQueue(): Promise<void> {
    if (await this.#isQueueThere()) this.#isWanted = true;
    this.#isSettled = true;
    this.#fit();
  }

  async #isQueueThere(): Promise<boolean> {
    const place = vscode.Uri.joinPath(this.#deps.store, 'coordinator');
    return vscode.workspace.fs.stat(place).then(
      () => true,
      () => false,
    );
  }

  #requestFit(): void {
    this.#isWanted = true;
    if (this.#isSettled) this.#fit();
  }

  #fit(): void {
    const isOpen = (vscode.workspace.workspaceFolders ?? []).length > 0;
    if (!vscode.workspace.isTrusted || !this.#isWanted || !isOpen || this.#isDeclared) return;
    this.#isDeclared = true;
    void this.#declare();
  }

  /** Declares the runners again, without stopping runs. */
  #declareAgain(): void {
    if (this.#isDeclared) void this.#declare();
    else this.#fit();
  }

  async #declare(): Promise<void> {
    const { engines, log } = this.#deps;
    try {
      const engine = await engines.get();
      // The daemon runs only in folders that a window has announced as trusted.
      await engine.announce();
      await engine.queue.declare(await runnersOf(engine));
    } catch (error) {
      log.error(logLine('runners failed', { error: String(error) }));
    }
  }

  /** Reports a failed run of this window, because it may have no session that shows the failure. */
  #reportFailure({ run_id, status, error = '', agent_name: name = '' }: ChangedRun): void {
    if (!this.#created.has(run_id) || !isRunOver(status)) return;
    this.#created.delete(run_id);
    if (status !== 'failed') return;
    void vscode.window.showWarningMessage(t('The queued run of “{0}” failed: {1}', inertText(name), inertText(error)));
  }
}

/** One runner per agent program that was found, for the folders of this window. */
async function runnersOf(engine: WindowEngine) {
  const { enabled, concurrency: limit, tags } = runnerSettings();
  const within = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const [project_dir] = within;
  if (!enabled || project_dir === undefined) return [];
  const types = new Set((await engine.agents()).filter(isAvailable).map(({ type }) => type));
  return [...types].map((executor_type) => ({
    hostname: hostname(),
    project_dir,
    within,
    executor_type,
    tags: [...tags],
    limit,
  }));
}

/** `null` is an agent without a local program, such as a server. */
function isAvailable({ program, recording }: AgentReport): boolean {
  return recording || program === null || 'path' in program;
}
