import * as vscode from 'vscode';
import type { CreateRun } from '../../coordinator/api.ts';
import type { RunnerGroup } from '../../engine/coordinator/runnerGroup.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver, isSessionLive } from '../../model/session/status.ts';
import { inertText } from '../text/inertText.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { runnerSettings } from '../settings/settings.ts';
import type { WindowRunnersDeps } from './startRunners.ts';

const { t } = vscode.l10n;

/** After activation, in milliseconds: the window comes first. */
const patience = 3000;

/**
 * Makes this window a runner of each agent found here, as soon as the queue of its store is used or there is an agent that is
 * a file; never in Restricted Mode, and not where the setting says no. What runs there is loaded only then.
 */
export class WindowRunners {
  readonly #deps: WindowRunnersDeps;
  readonly #disposables: readonly vscode.Disposable[];
  readonly #timer: NodeJS.Timeout;
  #wanted = false;
  #settled = false;
  #group: Promise<RunnerGroup> | undefined;
  /** Runs that were queued here and are not over. */
  readonly #created = new Set<string>();
  #closed = false;

  constructor(deps: WindowRunnersDeps) {
    this.#deps = deps;
    const { store, agents } = deps;
    const queue = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(store, 'coordinator'));
    this.#disposables = [
      queue,
      queue.onDidCreate(() => this.#want()),
      agents.onDidChange((found) => {
        if (found.length > 0) this.#want();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#fit()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('vitrine.runner')) this.#again();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#again()),
    ];
    this.#timer = setTimeout(() => void this.#lookForQueue(), patience);
  }

  /** Queues a run in `folder`. How it goes is told by its session; that it failed, by a message. @throws CoordinatorError */
  async create(folder: string, request: Omit<CreateRun, 'project_dir'>): Promise<Run> {
    this.#wanted = true;
    this.#group ??= this.#begin(folder);
    const run = await (await this.#group).create({ ...request, project_dir: folder });
    this.#created.add(run.run_id);
    return run;
  }

  /** Has a session stopped that another window or a terminal runs for the queue; tells a person where only that one can. */
  async stopElsewhere(session: string): Promise<void> {
    const { stopQueued } = await import('./stopQueued.ts');
    const { store, log } = this.#deps;
    if ((await this.#isQueueThere()) && (await stopQueued(store.fsPath, session, log))) return;
    if (!(await this.#isLive(session))) return;
    void vscode.window.showWarningMessage(t('This session is running in another window or terminal. Stop it there.'));
  }

  /** Takes no more. What it executes is the daemon's, and continues when this process ends. */
  dispose(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const each of this.#disposables) each.dispose();
  }

  /** It may have ended on its own meanwhile. */
  async #isLive(session: string): Promise<boolean> {
    const handle = await (await this.#deps.engines.get()).open(session);
    const { status } = handle.summary();
    handle.dispose();
    return isSessionLive(status);
  }

  async #lookForQueue(): Promise<void> {
    if (await this.#isQueueThere()) this.#wanted = true;
    this.#settled = true;
    this.#fit();
  }

  async #isQueueThere(): Promise<boolean> {
    const place = vscode.Uri.joinPath(this.#deps.store, 'coordinator');
    return vscode.workspace.fs.stat(place).then(
      () => true,
      () => false,
    );
  }

  #want(): void {
    this.#wanted = true;
    if (this.#settled) this.#fit();
  }

  #fit(): void {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const may = vscode.workspace.isTrusted && runnerSettings().enabled && !this.#closed;
    if (!may || !this.#wanted || folder === undefined) return;
    this.#group ??= this.#begin(folder.uri.fsPath);
  }

  async #begin(folder: string): Promise<RunnerGroup> {
    const { startRunners } = await import('./startRunners.ts');
    return startRunners(this.#deps, folder, (run) => this.#tell(run));
  }

  /** A run of this window that failed may have no session that could say so. */
  #tell({ run_id, status, error = '', agent_name: name = '' }: Run): void {
    if (!this.#created.has(run_id) || !isRunOver(status)) return;
    this.#created.delete(run_id);
    if (status !== 'failed') return;
    void vscode.window.showWarningMessage(t('The queued run of “{0}” failed: {1}', inertText(name), inertText(error)));
  }

  /** What runs is not stopped by it: who takes its place waits until that has ended. */
  #again(): void {
    void this.#finish();
    this.#fit();
  }

  async #finish(): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    try {
      await (await group)?.close({ finish: true });
    } catch (error) {
      this.#deps.log.error(logLine('runners failed', { error: String(error) }));
    }
  }
}
