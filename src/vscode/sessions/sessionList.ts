import * as vscode from 'vscode';
import type { SessionSummary } from '../../model/session/summary.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { costToday, dayStart, type CostToday } from '../usage/costToday.ts';
import { noFilter, passes, type SessionFilter } from '../observed/filter.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import { daysToDeletion } from '../observed/countdown.ts';
import { needsYou, rowOf, type SessionRow } from './sessionRow.ts';
import { countsObserved } from '../settings/settings.ts';
import type { WorkspaceIndex } from '../window/workspaceIndex.ts';

/** Milliseconds in which changes are gathered. */
const quiet = 150;

/** How many sessions are out of sight, and why. */
export interface HiddenCount {
  readonly byUser: number;
  /** In folders that are there, and not in this window. */
  readonly elsewhere: number;
  /** In folders that are on this machine no more. */
  readonly gone: number;
  /** In none, as what was imported without one. */
  readonly noFolder: number;
  readonly unreadable: number;
}

/** What is on disk and in no list, and the folders of sessions that are no more. */
export interface Lost {
  readonly unreadable: number;
  readonly folders: ReadonlySet<string>;
}

/** Every session that lists know of, and which of them this window shows. Owns what it knows; changes are announced. */
export class SessionList implements vscode.Disposable {
  readonly #index: WorkspaceIndex;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #folders: vscode.Disposable;
  #rows = new Map<string, SessionRow>();
  /** Sessions of other programs that are in scope. */
  #observed = new Map<string, SessionRow>();
  /** Ids of sessions of other programs in scope that are Vitrine's own now: they stay in the list, whatever their folder. */
  #copies = new Set<string>();
  /** By agent, after how many days without a change it deletes a session. */
  cleanupDays: ResultOf<'watchSources'>['cleanup_days'] = {};
  #filter: SessionFilter = noFilter;
  #lost: Lost = { unreadable: 0, folders: new Set() };
  #complete = false;
  #observedComplete = false;
  #showHidden = false;
  #pending: NodeJS.Timeout | undefined;
  readonly onDidChange = this.#changed.event;

  constructor(index: WorkspaceIndex, now: () => number) {
    this.#index = index;
    this.#now = now;
    this.#rows = new Map((index.load() ?? []).map((row) => [row.session_id, row]));
    this.#folders = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire());
  }

  /** False while only what the last window kept is known. */
  get complete(): boolean {
    return this.#complete;
  }

  /** False until sessions of other programs have been looked for. */
  get observedComplete(): boolean {
    return this.#observedComplete;
  }

  get showHidden(): boolean {
    return this.#showHidden;
  }

  set showHidden(show: boolean) {
    this.#showHidden = show;
    this.#changed.fire();
  }

  get(id: string): SessionRow | undefined {
    return this.#isRunningAgain(id) ? this.#observed.get(id) : (this.#rows.get(id) ?? this.#observed.get(id));
  }

  /** In how many days the agent deletes its file of a session; `undefined`: not soon, or not known. */
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

  /** Takes the place of all that was known of sessions of other programs; `copies`: those that are Vitrine's own now. */
  replaceObserved(summaries: readonly SessionSummary[], copies: readonly string[]): void {
    this.#copies = new Set(copies);
    this.#observed = new Map(summaries.map((summary) => [summary.session_id, this.#row(summary)]));
    this.#observedComplete = true;
    this.#announce();
  }

  /** Sessions of other programs, without those that are out of scope. */
  observed(): readonly SessionRow[] {
    return [...this.#observed.values()].filter(({ session_id: id }) => !this.#rows.has(id) || this.#isRunningAgain(id));
  }

  /** Takes the place of all that was known. */
  replace(summaries: readonly SessionSummary[]): void {
    this.#rows = new Map(summaries.map((summary) => [summary.session_id, this.#row(summary)]));
    this.#complete = true;
    this.#announce();
  }

  update(summary: SessionSummary): void {
    if (summary.observed !== undefined) {
      this.#observed.set(summary.session_id, this.#row(summary));
      this.#announce();
      return;
    }
    if (this.#observed.delete(summary.session_id)) this.#copies.add(summary.session_id);
    this.#rows.set(summary.session_id, this.#row(summary));
    this.#announce();
  }

  remove(id: string): void {
    const isOwn = this.#rows.delete(id);
    if (this.#observed.delete(id) || isOwn) this.#announce();
  }

  /** Of Vitrine, wherever they belong. */
  all(): readonly SessionRow[] {
    return [...this.#rows.values()];
  }

  /** What the tree shows now. */
  visible(): readonly SessionRow[] {
    const isShown = (row: SessionRow): boolean => this.#showHidden || (row.hidden !== true && this.#isInScope(row));
    const own = [...this.#rows.values()].filter((row) => isShown(row) && !this.#isRunningAgain(row.session_id));
    return [...own, ...this.observed()].filter((row) => passes(row, this.#filter, this.#now()));
  }

  /** Vitrine's own sessions of this workspace, hidden ones too. */
  here(): readonly SessionRow[] {
    return [...this.#rows.values()].filter(isHere);
  }

  /** Vitrine's own sessions of this workspace that run. */
  live(): readonly SessionRow[] {
    return this.here().filter((row) => isSessionLive(row.status));
  }

  /** Sessions that run, those of other programs too. */
  running(): readonly SessionRow[] {
    return [...this.live(), ...this.observed().filter((row) => isSessionLive(row.status))];
  }

  /** Sessions of this workspace, and of other programs, that wait for a person, the one that waits longest first. */
  waiting(): readonly SessionRow[] {
    const since = (row: SessionRow): string => needsYou(row)?.since ?? '';
    return [...this.here(), ...this.observed()]
      .filter((row) => needsYou(row) !== undefined)
      .sort((a, b) => since(a).localeCompare(since(b)));
  }

  hidden(): HiddenCount {
    const folders = [...this.#rows.values()].filter((row) => !this.#isInScope(row)).map((row) => row.project_dir);
    const noFolder = folders.filter((each) => each === undefined).length;
    const gone = folders.filter((each) => each !== undefined && this.#lost.folders.has(each)).length;
    return {
      byUser: this.here().filter((row) => row.hidden === true).length,
      elsewhere: folders.length - gone - noFolder,
      gone,
      noFolder,
      unreadable: this.#lost.unreadable,
    };
  }

  set lost(lost: Lost) {
    const same = lost.unreadable === this.#lost.unreadable && lost.folders.size === this.#lost.folders.size;
    const changed = !same || [...lost.folders].some((folder) => !this.#lost.folders.has(folder));
    this.#lost = lost;
    if (changed) this.#announce();
  }

  /** Of sessions of this workspace, and of those of other programs where the user counts them. */
  costToday(): CostToday {
    const observed = countsObserved() ? this.observed().filter(isHere) : [];
    return costToday([...this.here(), ...observed], this.#now());
  }

  dispose(): void {
    if (this.#pending !== undefined) void this.#tell();
    this.#folders.dispose();
    this.#changed.dispose();
  }

  #isInScope(row: SessionRow): boolean {
    return isHere(row) || this.#copies.has(row.session_id);
  }

  /** A session of which Vitrine has a copy, and which runs in its own program. */
  #isRunningAgain(id: string): boolean {
    const observed = this.#observed.get(id)?.observed;
    return observed !== undefined && observed.live.state !== 'ended' && this.#rows.has(id);
  }

  #row(summary: SessionSummary): SessionRow {
    return rowOf(summary, dayStart(summary, this.#rows.get(summary.session_id), this.#now()));
  }

  /** A running session changes with each message: lists are told a few times a second at most. */
  #announce(): void {
    this.#pending ??= setTimeout(() => void this.#tell(), quiet);
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#pending);
    this.#pending = undefined;
    this.#changed.fire();
    await this.#index.save(this.here());
  }
}

/** How many that are, over all reasons. */
export function hiddenTotal(count: HiddenCount): number {
  return Object.values<number>({ ...count }).reduce((sum, each) => sum + each, 0);
}

/** A session belongs here when its folder is in this workspace; with no folder open, all do. */
export function isHere(row: Pick<SessionRow, 'project_dir'>): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) return true;
  if (row.project_dir === undefined) return false;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(row.project_dir)) !== undefined;
}
