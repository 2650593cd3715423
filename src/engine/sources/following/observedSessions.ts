import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ObservedSummary } from '../../../insight/observed/summary.ts';
import type { PriceTable } from '../../../insight/prices/prices.ts';
import type { Disposable, Log } from '../../api.ts';
import type { ObservedHistory } from '../../import/importObserved.ts';
import { Emitter } from '../../emitter.ts';
import type { FollowedSession } from '../foundSession.ts';
import type { SessionSources, SourcesChange } from '../sources.ts';
import { FolderWatcher } from '../watching/folderWatcher.ts';
import { MissingFolders } from '../watching/missingFolders.ts';
import type { ObservedFeed } from './openObserved.ts';

export interface ObservedSessionsDeps {
  readonly sources: SessionSources;
  readonly prices: () => Promise<PriceTable>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** Debounce time for changes, in ms. */
const debounceMs = 40;
/** Limits the time spent on updates: the pause after an update is this many times its duration. */
const pauseFactor = 8;
/** Interval between checks for what has no events, in ms: running processes, and new folders on some file systems. */
const checkMs = 1000;
/** Time from the first event to a complete scan, in ms: the system drops events if there are many at once. */
const fullScanMs = 60_000;
/** Interval between complete scans without events, in ms, for file systems that have events only of some changes. */
const quietFullScanMs = 600_000;

/** Sessions of other programs, updated while there are listeners. */
export class ObservedSessions implements ObservedFeed {
  readonly #deps: ObservedSessionsDeps;
  readonly #changes: Emitter<[SourcesChange]>;
  readonly #paths: Emitter<[ReadonlySet<string>]>;
  readonly #dirty = new Set<string>();
  #rows = new Map<string, ObservedSummary>();
  #watcher: FolderWatcher | undefined;
  #subscriberCount = 0;
  #listing: Promise<void> | undefined;
  /** The first part of the list, or the whole list. */
  #firstPart = new Promise<void>(() => undefined);
  #onFirstPart: (() => void) | undefined;
  #lastScan: Promise<unknown> = Promise.resolve();
  /** Number of running scans. */
  #runningScans = 0;
  #refreshTimer: NodeJS.Timeout | undefined;
  #missingFolders: MissingFolders | undefined;
  /** Whether missing folders are created with an event. */
  #hasEvents = false;
  #checkTimer: NodeJS.Timeout | undefined;
  /** Times of the next check and of the next complete scan, as `performance.now()`. */
  #nextCheckAt = Number.POSITIVE_INFINITY;
  #nextFullScanAt = 0;
  #pausedUntil = 0;

  constructor(deps: ObservedSessionsDeps) {
    this.#deps = deps;
    this.#changes = new Emitter(deps.log);
    this.#paths = new Emitter(deps.log);
  }

  /** Folders with stores. */
  folders(): readonly string[] {
    return this.#deps.sources.folders();
  }

  /** Keeps the list up to date and reports changes until the result is disposed. */
  subscribe(listener: (change: SourcesChange) => void): Disposable {
    const registration = this.#changes.on(listener);
    const subscription = this.#addSubscriber();
    return {
      dispose: () => {
        registration.dispose();
        subscription.dispose();
      },
    };
  }

  /** Current list. */
  async list(): Promise<readonly ObservedSummary[]> {
    await (this.#subscriberCount === 0 ? this.#list() : (this.#listing ??= this.#list()));
    return [...this.#rows.values()];
  }

  /** Reports changed paths without delay while there are listeners. */
  onPaths(listener: (paths: ReadonlySet<string>) => void): Disposable {
    return this.#paths.on(listener);
  }

  /** As `list`, but returns a partial list after about a second. `look` reports the rest. */
  async listPartly(): Promise<readonly ObservedSummary[]> {
    if (this.#subscriberCount === 0) return this.list();
    await Promise.race([(this.#listing ??= this.#list()), this.#firstPart]);
    return [...this.#rows.values()];
  }

  /** Settles when running scans are done; `undefined` if there are none. */
  pendingScans(): Promise<unknown> | undefined {
    return this.#runningScans === 0 ? undefined : this.#lastScan;
  }

  /** What is needed to follow a session; `undefined` if the id is unknown. */
  find(id: string): Promise<FollowedSession | undefined> {
    return this.#serialize(() => this.#deps.sources.findFollowed(id));
  }

  /** Complete content for a record of the session; `undefined` if the id is unknown. */
  async history(id: string): Promise<ObservedHistory | undefined> {
    const prices = await this.#deps.prices();
    return (await this.#serialize(() => this.#deps.sources.history(id, prices))) ?? undefined;
  }

  dispose(): void {
    this.#subscriberCount = 0;
    this.#stop();
  }

  #addSubscriber(): Disposable {
    this.#subscriberCount += 1;
    if (this.#subscriberCount === 1) this.#start();
    let isHeld = true;
    return {
      dispose: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#subscriberCount = Math.max(0, this.#subscriberCount - 1);
        if (this.#subscriberCount === 0) this.#stop();
      },
    };
  }

  #start(): void {
    const watcher = new FolderWatcher({ onPaths: (paths) => this.#handleEvents(paths) });
    this.#watcher = watcher;
    this.#missingFolders = new MissingFolders(() => this.#checkWithin(debounceMs));
    this.#nextFullScanAt = performance.now() + quietFullScanMs;
    this.#firstPart = new Promise((resolve) => {
      this.#onFirstPart = resolve;
    });
    this.#listing = this.#list();
    const settled = this.#listing.then(async () => {
      await this.#watch(watcher);
      // Files may have changed between the scan and the start of the watch.
      this.#handleChanges(new Set(this.folders()));
    });
    settled
      .catch((error: unknown) => this.#deps.log.error(`Cannot watch the agents’ stores: ${String(error)}`))
      .finally(() => this.#checkLater());
  }

  #stop(): void {
    this.#watcher?.dispose();
    this.#watcher = undefined;
    this.#listing = undefined;
    this.#missingFolders?.dispose();
    this.#missingFolders = undefined;
    clearTimeout(this.#checkTimer);
    this.#nextCheckAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#dirty.clear();
  }

  #list(): Promise<void> {
    return this.#serialize(async () => {
      const prices = await this.#deps.prices();
      const rows = await this.#deps.sources.list(prices, (part) => this.#replaceRows(part, false));
      this.#replaceRows(rows, true);
    });
  }

  /** Listeners get the changes after the first part. */
  #replaceRows(rows: readonly ObservedSummary[], isWhole: boolean): void {
    const before = this.#rows;
    this.#rows = new Map([...(isWhole ? [] : before), ...rows.map((row) => [row.session_id, row] as const)]);
    if (this.#hasLiveSession()) this.#checkWithin(checkMs);
    if (this.#onFirstPart !== undefined) {
      this.#onFirstPart();
      this.#onFirstPart = undefined;
    } else if (this.#subscriberCount > 0) this.#changes.fire(compareLists(before, this.#rows));
  }

  #handleEvents(paths: ReadonlySet<string>): void {
    this.#nextFullScanAt = Math.min(this.#nextFullScanAt, performance.now() + fullScanMs);
    this.#checkWithin(fullScanMs);
    this.#handleChanges(paths);
  }

  #handleChanges(paths: ReadonlySet<string>): void {
    this.#paths.fire(paths);
    for (const path of paths) this.#dirty.add(path);
    const pause = Math.max(debounceMs, this.#pausedUntil - performance.now());
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined;
      void this.#refresh();
    }, pause);
  }

  async #refresh(): Promise<void> {
    const paths = new Set(this.#dirty);
    this.#dirty.clear();
    const began = performance.now();
    const { processes } = this.#deps.sources.watchedFolders();
    const ofProcesses = new Set([...paths].filter((file) => processes.includes(path.dirname(file))));
    const ofSessions = new Set([...paths].filter((file) => !ofProcesses.has(file)));
    await this.#runScan(async (prices) => {
      const change = await this.#deps.sources.refresh(ofSessions, prices);
      if (ofProcesses.size === 0) return change;
      return mergeChanges(change, await this.#deps.sources.refreshLive(prices));
    });
    const took = performance.now() - began;
    this.#pausedUntil = performance.now() + took * pauseFactor;
    if (this.#watcher !== undefined) await this.#watch(this.#watcher);
  }

  /** Checks again within this time, in ms. */
  #checkWithin(ms: number): void {
    const at = performance.now() + ms;
    if (this.#watcher === undefined || at >= this.#nextCheckAt) return;
    clearTimeout(this.#checkTimer);
    this.#nextCheckAt = at;
    this.#checkTimer = setTimeout(() => {
      this.#nextCheckAt = Number.POSITIVE_INFINITY;
      void this.#rescan().finally(() => this.#checkLater());
    }, ms);
    this.#checkTimer.unref();
  }

  #checkLater(): void {
    const needsChecks = this.#hasLiveSession() || !this.#hasEvents;
    this.#checkWithin(needsChecks ? checkMs : Math.max(0, this.#nextFullScanAt - performance.now()));
  }

  #hasLiveSession(): boolean {
    return [...this.#rows.values()].some(({ live }) => live.state !== 'ended');
  }

  /** Watches all folders, and waits for the missing ones. */
  async #watch(watcher: FolderWatcher): Promise<void> {
    await watcher.set(this.#watchedFolders());
    const folders = new Set([...this.folders(), ...this.#deps.sources.watchedFolders().processes]);
    const missing = [...folders].filter((folder) => !watcher.has(folder));
    this.#hasEvents = (await this.#missingFolders?.set(missing)) ?? false;
  }

  /** There are no events for exiting processes, and none for new folders outside of watched ones. Never rejects. */
  async #rescan(): Promise<void> {
    const watcher = this.#watcher;
    if (watcher === undefined) return;
    if (this.#hasLiveSession()) await this.#runScan((prices) => this.#deps.sources.refreshLive(prices));
    const isAll = performance.now() >= this.#nextFullScanAt;
    if (isAll) this.#nextFullScanAt = performance.now() + quietFullScanMs;
    const roots = this.folders().filter((folder) => isAll || !watcher.has(folder));
    const there = await Promise.all(roots.map((root) => exists(root)));
    const made = roots.filter((_, at) => there[at]);
    if (made.length > 0) this.#handleChanges(new Set(made));
    // The folders of processes are created with the first process.
    const unwatched = this.#deps.sources.watchedFolders().processes.filter((folder) => !watcher.has(folder));
    await this.#watch(watcher);
    if (unwatched.some((folder) => watcher.has(folder)))
      await this.#runScan((prices) => this.#deps.sources.refreshLive(prices));
  }

  #watchedFolders(): string[] {
    const { sessions, processes } = this.#deps.sources.watchedFolders();
    if (process.platform === 'linux') return [...sessions, ...processes];
    const roots = new Set(this.folders());
    return [...sessions.filter((folder) => roots.has(folder)), ...processes];
  }

  async #runScan(work: (prices: PriceTable) => Promise<SourcesChange>): Promise<void> {
    try {
      const change = await this.#serialize(async () => work(await this.#deps.prices()));
      if (this.#subscriberCount === 0 || change.changed.length + change.removed.length === 0) return;
      for (const row of change.changed) this.#rows.set(row.session_id, row);
      if (this.#hasLiveSession()) this.#checkWithin(checkMs);
      for (const id of change.removed) this.#rows.delete(id);
      this.#changes.fire(change);
    } catch (error) {
      this.#deps.log.error(`Cannot read the agents’ stores: ${String(error)}`);
    }
  }

  /** Serializes scans, which share caches. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    this.#runningScans += 1;
    const next = this.#lastScan.then(work, work);
    this.#lastScan = next.then(
      () => (this.#runningScans -= 1),
      () => (this.#runningScans -= 1),
    );
    return next;
  }
}

/** Difference between two lists, by id. */
function compareLists(
  before: ReadonlyMap<string, ObservedSummary>,
  now: ReadonlyMap<string, ObservedSummary>,
): SourcesChange {
  const changed = [...now.values()].filter((row) => {
    const known = before.get(row.session_id);
    return known !== row && JSON.stringify(known) !== JSON.stringify(row);
  });
  return { changed, removed: [...before.keys()].filter((id) => !now.has(id)) };
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

function mergeChanges(first: SourcesChange, second: SourcesChange): SourcesChange {
  return { changed: [...first.changed, ...second.changed], removed: [...first.removed, ...second.removed] };
}
