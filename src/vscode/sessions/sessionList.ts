import * as vscode from 'vscode';
import type { SessionSummary } from '../../model/session/summary.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { costToday, dayStart, type CostToday } from '../usage/costToday.ts';
import { noFilter, passesFilter, type SessionFilter } from '../observed/filter.ts';
import type { Share } from '../../model/session/share.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { OwnShare } from '../../protocol/daemon/team.ts';
import { daysToDeletion } from '../observed/countdown.ts';
import { needsYou, rowOf, type SessionRow } from './sessionRow.ts';
import { countsObserved } from '../settings/settings.ts';
import type { WorkspaceIndex } from '../window/workspaceIndex.ts';

/** Debounce time in ms. */
const quiet = 150;

/** Numbers of sessions that are not shown, by reason. */
export interface HiddenCount {
  readonly hiddenByUser: number;
  /** In existing folders outside this window. */
  readonly inOtherFolders: number;
  /** In folders that no longer exist. */
  readonly inMissingFolders: number;
  /** Without a folder, such as imported ones. */
  readonly noFolder: number;
  readonly unreadable: number;
}

/** Sessions missing in the list, and missing folders of sessions. */
export interface MissingSessions {
  readonly unreadable: number;
  readonly folders: ReadonlySet<string>;
}

/** All known sessions, and which of them this window shows. Announces changes. */
export class SessionList implements vscode.Disposable {
  readonly #index: WorkspaceIndex;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #folders: vscode.Disposable;
  #rows = new Map<string, SessionRow>();
  /** Sessions from other programs in scope. */
  #observedRows = new Map<string, SessionRow>();
  /** Sessions of other team members; shown in that scope, or if the user asked for their run. */
  #sharedRows = new Map<string, SessionRow>();
  /** What the team sees of own sessions; absent: nothing. */
  readonly #shares = new Map<string, Share>();
  /** Ids of other programs' sessions in scope that Vitrine has copied; listed whatever their folder. */
  #copies = new Set<string>();
  /** By agent: days without a change after which it deletes a session. */
  cleanupDays: ResultOf<'watchSources'>['cleanup_days'] = {};
  #filter: SessionFilter = noFilter;
  #missingSessions: MissingSessions = { unreadable: 0, folders: new Set() };
  #isComplete = false;
  #isObservedComplete = false;
  #showHidden = false;
  #notifyTimer: NodeJS.Timeout | undefined;
  readonly onDidChange = this.#changed.event;

  constructor(index: WorkspaceIndex, now: () => number) {
    this.#index = index;
    this.#now = now;
    this.#rows = new Map((index.load() ?? []).map((row) => [row.session_id, row]));
    this.#folders = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire());
  }

  /** False while only the previous window's cache is known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** False until sessions from other programs have been searched. */
  get isObservedComplete(): boolean {
    return this.#isObservedComplete;
  }

  get showHidden(): boolean {
    return this.#showHidden;
  }

  set showHidden(show: boolean) {
    this.#showHidden = show;
    this.#changed.fire();
  }

  get(id: string): SessionRow | undefined {
    return this.#isRunningAgain(id)
      ? this.#observedRows.get(id)
      : (this.#rows.get(id) ?? this.#observedRows.get(id) ?? this.#sharedRows.get(id));
  }

  /** Days until the agent deletes its session file; `undefined`: not soon, or unknown. */
  daysToDeletion(row: SessionRow): number | undefined {
    const agent = row.observed?.agent;
    return daysToDeletion(row, agent && this.cleanupDays[agent], this.#now());
  }

  get filter(): SessionFilter {
    return this.#filter;
  }

  set filter(filter: SessionFilter) {
    this.#filter = filter;
    this.#changed.fire();
  }

  /** Replaces all sessions from other programs; `copies`: those that Vitrine has copied. */
  replaceObserved(summaries: readonly SessionSummary[], copies: readonly string[]): void {
    this.#copies = new Set(copies);
    this.#observedRows = new Map(summaries.map((summary) => [summary.session_id, this.#createRow(summary)]));
    this.#isObservedComplete = true;
    this.#announce();
  }

  /** Replaces all sessions of other team members; `own`: what it sees of this store's. */
  replaceShared({ sessions, own }: Pick<ResultOf<'sharedSessions'>, 'sessions' | 'own'>): void {
    this.#sharedRows = new Map(sessions.map((summary) => [summary.session_id, this.#createRow(summary)]));
    const former = [...this.#shares.keys()].map((session_id): OwnShare => ({ session_id, share: 'nothing' }));
    this.updateShares([...former, ...own]);
  }

  updateShares(shares: readonly OwnShare[]): void {
    for (const { session_id: id, share } of shares) {
      if (share === 'nothing') this.#shares.delete(id);
      else this.#shares.set(id, share);
      const row = this.#rows.get(id);
      if (row !== undefined) this.#rows.set(id, { ...row, share });
    }
    this.#announce();
  }

  /** Sessions of other members, unless this store has them itself. */
  shared(): readonly SessionRow[] {
    return [...this.#sharedRows.values()].filter(({ session_id: id }) => !this.#rows.has(id));
  }

  /** Sessions from other programs in scope. */
  observed(): readonly SessionRow[] {
    return [...this.#observedRows.values()].filter(
      ({ session_id: id }) => !this.#rows.has(id) || this.#isRunningAgain(id),
    );
  }

  /** Replaces all sessions. */
  replace(summaries: readonly SessionSummary[]): void {
    this.#rows = new Map(summaries.map((summary) => [summary.session_id, this.#createRow(summary)]));
    this.#isComplete = true;
    this.#announce();
  }

  update(summary: SessionSummary): void {
    if (summary.shared !== undefined) {
      this.#sharedRows.set(summary.session_id, this.#createRow(summary));
      this.#announce();
      return;
    }
    if (summary.observed !== undefined) {
      this.#observedRows.set(summary.session_id, this.#createRow(summary));
      this.#announce();
      return;
    }
    if (this.#observedRows.delete(summary.session_id)) this.#copies.add(summary.session_id);
    this.#rows.set(summary.session_id, this.#createRow(summary));
    this.#announce();
  }

  remove(id: string): void {
    const removed = [this.#rows, this.#observedRows, this.#sharedRows].map((rows) => rows.delete(id));
    if (removed.includes(true)) this.#announce();
  }

  /** Vitrine's sessions of all folders. */
  all(): readonly SessionRow[] {
    return [...this.#rows.values()];
  }

  /** Sessions in the tree. */
  visible(): readonly SessionRow[] {
    const isShown = (row: SessionRow): boolean => this.#showHidden || (row.hidden !== true && this.#isInScope(row));
    const own = [...this.#rows.values()].filter((row) => isShown(row) && !this.#isRunningAgain(row.session_id));
    const shared = this.shared().filter((row) => this.#filter.scope === 'team' || row.shared?.requested === true);
    return [...own, ...this.observed(), ...shared].filter((row) => passesFilter(row, this.#filter, this.#now()));
  }

  /** Vitrine's sessions of this workspace, including hidden ones. */
  here(): readonly SessionRow[] {
    return [...this.#rows.values()].filter(isHere);
  }

  /** Vitrine's running sessions of this workspace. */
  live(): readonly SessionRow[] {
    return this.here().filter((row) => isSessionLive(row.status));
  }

  /** All running sessions, including those of other programs. */
  running(): readonly SessionRow[] {
    return [...this.live(), ...this.observed().filter((row) => isSessionLive(row.status))];
  }

  /** Sessions that wait for the user, longest first: of this workspace, of other programs, and team runs for the user. */
  waiting(): readonly SessionRow[] {
    const since = (row: SessionRow): string => needsYou(row)?.since ?? '';
    return [...this.here(), ...this.observed(), ...this.shared()]
      .filter((row) => needsYou(row) !== undefined)
      .sort((a, b) => since(a).localeCompare(since(b)));
  }

  hidden(): HiddenCount {
    const folders = [...this.#rows.values()].filter((row) => !this.#isInScope(row)).map((row) => row.project_dir);
    const noFolder = folders.filter((folder) => folder === undefined).length;
    const missing = folders.filter(
      (folder) => folder !== undefined && this.#missingSessions.folders.has(folder),
    ).length;
    return {
      hiddenByUser: this.here().filter((row) => row.hidden === true).length,
      inOtherFolders: folders.length - missing - noFolder,
      inMissingFolders: missing,
      noFolder,
      unreadable: this.#missingSessions.unreadable,
    };
  }

  set lost(lost: MissingSessions) {
    const same =
      lost.unreadable === this.#missingSessions.unreadable && lost.folders.size === this.#missingSessions.folders.size;
    const changed = !same || [...lost.folders].some((folder) => !this.#missingSessions.folders.has(folder));
    this.#missingSessions = lost;
    if (changed) this.#announce();
  }

  /** Cost of this workspace's sessions, including other programs' if the setting says so. */
  costToday(): CostToday {
    const observed = countsObserved() ? this.observed().filter(isHere) : [];
    return costToday([...this.here(), ...observed], this.#now());
  }

  dispose(): void {
    if (this.#notifyTimer !== undefined) void this.#notify();
    this.#folders.dispose();
    this.#changed.dispose();
  }

  #isInScope(row: SessionRow): boolean {
    return isHere(row) || this.#copies.has(row.session_id);
  }

  /** Whether a copied session is running in its own program again. */
  #isRunningAgain(id: string): boolean {
    const observed = this.#observedRows.get(id)?.observed;
    return observed !== undefined && observed.live.state !== 'ended' && this.#rows.has(id);
  }

  #createRow(summary: SessionSummary): SessionRow {
    const { session_id: id } = summary;
    const share = this.#shares.get(id);
    const row = rowOf(summary, dayStart(summary, this.#rows.get(id), this.#now()));
    return share === undefined || summary.shared !== undefined ? row : { ...row, share };
  }

  /** Running sessions change with each message, so notifications are throttled. */
  #announce(): void {
    this.#notifyTimer ??= setTimeout(() => void this.#notify(), quiet);
  }

  async #notify(): Promise<void> {
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = undefined;
    this.#changed.fire();
    await this.#index.save(this.here());
  }
}

/** Total over all reasons. */
export function hiddenTotal(count: HiddenCount): number {
  return Object.values<number>({ ...count }).reduce((sum, number) => sum + number, 0);
}

/** Whether the session's folder is in this workspace; without open folders, always. */
export function isHere(row: Pick<SessionRow, 'project_dir'>): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) return true;
  if (row.project_dir === undefined) return false;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(row.project_dir)) !== undefined;
}
