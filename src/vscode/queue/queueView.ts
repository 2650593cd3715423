import { hostname } from 'node:os';
import * as vscode from 'vscode';
import type { Disposable } from '../../client/listeners.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { TeamPasswords } from '../team/teamPasswords.ts';
import { teamName } from '../team/teamText.ts';
import { isQueueEmpty, type QueueContents, type QueueNode } from './queueRows.ts';
import { QueueTree } from './queueTree.ts';

const { t } = vscode.l10n;

const viewId = 'vitrine.queue';

/** Delay in ms before the queue is read again after a change, because changes come in bursts. */
const quietMs = 150;
/** Interval in ms for reading the queue while the view is visible, because heartbeats cause no events. */
const heartbeatMs = 5000;

export interface QueueViewDeps {
  readonly engines: EngineHost;
  readonly secrets: vscode.SecretStorage;
  readonly log: vscode.LogOutputChannel;
}

/** The view Queue and Runners. Reads the queue after changes while the view is visible. */
export class QueueView implements vscode.Disposable {
  readonly #deps: QueueViewDeps;
  readonly #tree: QueueTree;
  readonly #view: vscode.TreeView<QueueNode>;
  readonly #passwords: TeamPasswords;
  readonly #disposables: readonly { dispose(): unknown }[];
  readonly #engineEvents: Disposable[] = [];
  readonly #keys = new Map<string, boolean>();
  #team: TeamState | null = null;
  #activeRead: Promise<void> | undefined;
  #isOutdated = false;
  #refreshTimer: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(deps: QueueViewDeps) {
    this.#deps = deps;
    this.#passwords = new TeamPasswords(deps.secrets);
    this.#tree = new QueueTree(windowPlace, Date.now);
    this.#view = vscode.window.createTreeView(viewId, { treeDataProvider: this.#tree, canSelectMany: true });
    this.#disposables = [
      this.#tree,
      this.#view,
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.refresh();
        this.#updateTimer();
      }),
    ];
    deps.engines.onCreated((engine) => this.#attach(engine));
    if (this.#view.visible) void this.refresh();
    this.#updateTimer();
  }

  /** Contents as last read. */
  get contents(): QueueContents {
    return this.#tree.contents;
  }

  /** Rows that the user has selected. */
  get selection(): readonly QueueNode[] {
    return this.#view.selection;
  }

  get team(): TeamState | null {
    return this.#team;
  }

  /** Reads the queue and the team. Never rejects. */
  refresh(): Promise<void> {
    if (this.#activeRead === undefined) {
      this.#activeRead = this.#read().finally(() => {
        this.#activeRead = undefined;
        if (!this.#isOutdated) return;
        this.#isOutdated = false;
        void this.refresh();
      });
    } else this.#isOutdated = true;
    return this.#activeRead;
  }

  dispose(): void {
    clearTimeout(this.#refreshTimer);
    clearInterval(this.#clock);
    for (const disposable of [...this.#disposables, ...this.#engineEvents]) disposable.dispose();
  }

  #attach(engine: WindowEngine): void {
    this.#engineEvents.push(engine.queue.onChange(() => this.#scheduleRefresh()));
    this.#scheduleRefresh();
  }

  #scheduleRefresh(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), quietMs);
  }

  async #read(): Promise<void> {
    const { engines, log } = this.#deps;
    try {
      const engine = await engines.get();
      const [runs, runners, team] = await Promise.all([
        engine.queue.runs(),
        engine.queue.runners(),
        engine.team.state(),
      ]);
      this.#tree.show({ runs, runners });
      this.#showTeam(team);
      if (team !== null) await this.#passwords.offer(engine.team, team);
    } catch (error) {
      log.warn(logLine('queue not read', { error: String(error) }));
    }
  }

  #showTeam(team: TeamState | null): void {
    this.#team = team;
    const isEmpty = isQueueEmpty(this.#tree.contents);
    this.#view.description = team === null ? '' : teamName(team);
    // A message would replace the welcome text.
    this.#view.message = team === null || team.is_connected || isEmpty ? '' : disconnectedText(team);
    this.#setContextKey('inTeam', team !== null);
    this.#setContextKey('teamConnected', team?.is_connected === true);
    // Keep a visible view open.
    this.#setContextKey('queue', team !== null || !isEmpty || this.#view.visible);
  }

  #updateTimer(): void {
    clearInterval(this.#clock);
    if (this.#view.visible) this.#clock = setInterval(() => void this.refresh(), heartbeatMs);
  }

  #setContextKey(name: string, value: boolean): void {
    if (this.#keys.get(name) === value) return;
    this.#keys.set(name, value);
    void vscode.commands.executeCommand('setContext', `vitrine.${name}`, value);
  }
}

function disconnectedText({ has_password }: TeamState): string {
  return has_password
    ? t('The team’s database is not responding. Vitrine keeps trying. Runs on this machine continue.')
    : t('The password for the team’s database is missing. Enter it with Team Status…');
}

function windowPlace() {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return { hostname: hostname(), folders };
}
