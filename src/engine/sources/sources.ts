import { createHash } from 'node:crypto';
import type { StoreFormat, StorePlace } from '../../agents/stores/storeFormat.ts';
import { deduplicate } from '../../insight/observed/countOnce.ts';
import { SharedKeys } from '../../insight/observed/sharedKeys.ts';
import { observedSpent } from '../../insight/observed/spent.ts';
import type { ObservedFacts, ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { RunSpending } from '../../insight/usage/spending.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { LiveState } from '../../model/observedState.ts';
import type { ObservedAgent } from '../../model/session/observed.ts';
import { Transcript } from '../../model/transcript/transcript.ts';
import type { ObservedHistory } from '../import/importObserved.ts';
import { Pace } from '../pace.ts';
import { rescanChanged } from './changedFiles.ts';
import { PartMemory, readStore, scanStore, type SessionFiles, type Store, type StoreScan } from './groups.ts';
import { observedId } from './ids.ts';
import { liveSource } from './live/agents.ts';
import { problemRows } from './problemRows.ts';
import {
  isSameMark,
  isUnchanged,
  liveOf,
  mainFile,
  rowOf,
  type FollowedSession,
  type FoundSession,
} from './foundSession.ts';
import type { ProcessMark } from './live/marks.ts';
import type { ProcessProbe } from './live/processes.ts';
import type { BriefFacts, FactsCache } from './reading/factsCache.ts';
import { FactsMemory } from './reading/factsMemory.ts';
import { NotesMemory } from './reading/notesMemory.ts';
import { SessionReader } from './reading/sessionReader.ts';

export interface SourcesOptions {
  readonly formats: readonly StoreFormat[];
  readonly place: StorePlace;
  readonly processes: ProcessProbe;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Default: each process reads everything once. */
  readonly cache?: FactsCache | undefined;
}

/**
 * Maximum number of sessions read at the same time. With eight, so many lines are alive when V8 collects garbage that a
 * first list takes a third longer.
 */
const maxConcurrentReads = 2;
/** Time until the first partial list, in ms, and the factor by which each later interval grows. */
const firstPartMs = 600;
const partFactor = 3;
/** Of the first partial list: maximum number of files, and minimum number of sessions, however slow the machine is. */
const [maxFirstFiles, minFirstSessions] = [400, 30] as const;

/** Transcript of another program's session. */
export interface ObservedTranscript extends Pick<ObservedFacts, 'id' | 'agent' | 'label' | 'path' | 'live' | 'facts'> {
  readonly entries: readonly NormalizedEntry[];
  /** What could not be read, for display. */
  readonly problems: readonly string[];
}

/** Changes since the last scan. */
export interface SourcesChange {
  readonly changed: readonly ObservedSummary[];
  /** Ids. */
  readonly removed: readonly string[];
}

/** Sessions in the stores of other programs, read-only. */
export class SessionSources {
  readonly #options: SourcesOptions;
  readonly #partMemory: PartMemory;
  readonly #notesMemory = new NotesMemory();
  readonly #factsMemory: FactsMemory;
  readonly #sharedKeys = new SharedKeys();
  readonly #stamps = new WeakMap<FoundSession, { readonly hasEnded: boolean; readonly stamp: string }>();
  #stores: readonly Store[] = [];
  #found = new Map<string, FoundSession>();
  #rows = new Map<string, ObservedSummary>();
  /** Of the rows. */
  #prices: PriceTable | undefined;
  /** Usage per day of each row, computed while all facts of its session are at hand. */
  readonly #spent = new WeakMap<ObservedSummary, readonly RunSpending[]>();

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#partMemory = new PartMemory(options.cache);
    this.#factsMemory = new FactsMemory(options.clock, options.cache);
  }

  /** Folders with stores. */
  folders(): string[] {
    const { formats, place } = this.#options;
    return formats.flatMap((format) => format.roots(place).map(({ path }) => path));
  }

  /** Folders to watch, as of the last scan: of sessions, and of processes. */
  watchedFolders(): { readonly sessions: readonly string[]; readonly processes: readonly string[] } {
    return {
      sessions: this.#stores.flatMap(({ folders }) => folders),
      processes: this.#stores.flatMap(({ format, roots }) => liveSource(format.agent)?.folders?.(roots) ?? []),
    };
  }

  /**
   * Lists all sessions of all stores, counting each request once. During long scans, `onPart` gets partial lists with
   * each store's newest sessions.
   */
  async list(prices: PriceTable, onPart?: (rows: readonly ObservedSummary[]) => void): Promise<ObservedSummary[]> {
    const scans = await this.#scanStores();
    if (onPart !== undefined) await this.#listNewest(scans, prices, onPart);
    const stores = await this.#readStores(scans);
    const found: FoundSession[] = [];
    let pause = firstPartMs * partFactor;
    let due = performance.now() + pause;
    for (const store of stores) {
      for await (const read of this.#sessionsOf(store, newestFirst(store.sessions.values()))) {
        found.push(...read);
        if (onPart === undefined || performance.now() < due) continue;
        await this.#replaceSessions(stores, found, prices);
        onPart([...this.#rows.values()]);
        pause *= partFactor;
        due = performance.now() + pause;
      }
    }
    await this.#replaceSessions(stores, found, prices);
    await this.#factsMemory.keepOnly(this.#found);
    await this.#partMemory.save(new Set(scans.flatMap(({ files }) => files.map(({ path }) => path))));
    return [...this.#rows.values()];
  }

  /** The newest sessions of many, without a look at the other files. */
  async #listNewest(
    scans: readonly StoreScan[],
    prices: PriceTable,
    onPart: (rows: readonly ObservedSummary[]) => void,
  ): Promise<void> {
    const times = scans.flatMap(({ files }) => files.map(({ mtimeMs }) => mtimeMs)).sort((a, b) => b - a);
    const oldest = times[maxFirstFiles];
    if (oldest === undefined) return;
    const newest = scans.map((scan) => ({ ...scan, files: scan.files.filter(({ mtimeMs }) => mtimeMs > oldest) }));
    const due = performance.now() + firstPartMs;
    const stores = await this.#readStores(newest);
    const found: FoundSession[] = [];
    for (const store of stores) {
      for await (const read of this.#sessionsOf(store, newestFirst(store.sessions.values()))) {
        found.push(...read);
        if (performance.now() >= due && found.length >= minFirstSessions) break;
      }
    }
    await this.#replaceSessions(stores, found, prices);
    onPart([...this.#rows.values()]);
  }

  /** Rescans changed files and folders only. Call `list` first. */
  async refresh(paths: ReadonlySet<string>, prices: PriceTable): Promise<SourcesChange> {
    const before = new Map(this.#rows);
    const dirty = new Set<string>();
    const stores: Store[] = [];
    for (const store of this.#stores) {
      const own = new Set([...paths].filter((path) => store.roots.some((root) => path.startsWith(root.path))));
      if (own.size === 0) {
        stores.push(store);
        continue;
      }
      const looked = await rescanChanged(store, own, this.#partMemory);
      const { format } = store;
      const next = looked?.store ?? (await readStore(await scanStore(format, store.roots), this.#partMemory));
      stores.push(next);
      const names = looked?.sessions ?? new Set([...store.sessions.keys(), ...next.sessions.keys()]);
      const files = [...names].flatMap((name) => next.sessions.get(name) ?? []);
      for await (const read of this.#sessionsOf(next, files)) {
        for (const session of read) {
          const known = this.#found.get(session.id);
          this.#found.set(session.id, session);
          // A complete scan finds most sessions as they were.
          if (known !== undefined && isUnchanged(known, session)) continue;
          dirty.add(session.id);
          for (const id of this.#sharedKeys.set(session.id, session.keys)) dirty.add(id);
        }
      }
      for (const name of names) {
        const id = observedId(format.agent, name);
        if (next.sessions.has(name) || !this.#found.delete(id)) continue;
        dirty.add(id);
        for (const sharing of this.#sharedKeys.delete(id)) dirty.add(sharing);
      }
    }
    this.#stores = stores;
    await this.#updateRows(dirty, prices);
    return this.#changesSince(before);
  }

  /** Rechecks the agents' processes only. Call `list` first. */
  async refreshLive(prices: PriceTable): Promise<SourcesChange> {
    const before = new Map(this.#rows);
    const dirty = new Set<string>();
    for (const { format, roots, sessions } of this.#stores) {
      const marks = await liveSource(format.agent)?.marks(roots, [...sessions.values()], this.#options.processes);
      for (const [id, found] of this.#found) {
        if (found.files.format !== format) continue;
        const mark = markOf(found.brief, marks);
        const then = this.#rows.get(id)?.live.state;
        // Without a process, what has ended stays as it is.
        if (then === 'ended' && mark === undefined && found.mark === undefined) continue;
        const { state } = this.#liveOf({ ...found, mark });
        if (then === state && isSameMark(found.mark, mark)) continue;
        this.#found.set(id, { ...found, mark });
        dirty.add(id);
      }
    }
    await this.#updateRows(dirty, prices);
    return this.#changesSince(before);
  }

  /** A session as of the last scan, or found now. Reads no other sessions. */
  async find(id: string): Promise<FoundSession | undefined> {
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    for (const store of this.#stores.length > 0 ? this.#stores : await this.#readStores(await this.#scanStores())) {
      const files = [...store.sessions.values()].find(({ session }) => observedId(store.format.agent, session) === id);
      if (files === undefined) continue;
      for await (const [found] of this.#sessionsOf(store, [files])) return found;
    }
    return undefined;
  }

  /** As `find`, with the data for the session's row. */
  async findFollowed(id: string): Promise<FollowedSession | undefined> {
    const found = await this.find(id);
    return found === undefined ? undefined : this.#toFollowed(found);
  }

  /** Usage per day, without copied requests, of a session in the last list or change. */
  spentOf(row: ObservedSummary): readonly RunSpending[] | undefined {
    return this.#spent.get(row);
  }

  /** State of a listed session's files, for comparison; `undefined` if there is none. */
  stampOf(id: string): string | undefined {
    const found = this.#found.get(id);
    if (found === undefined) return undefined;
    const hasEnded = this.#liveOf(found).state === 'ended';
    const known = this.#stamps.get(found);
    if (known?.hasEnded === hasEnded) return known.stamp;
    const hash = createHash('sha1').update(JSON.stringify([hasEnded, found.problem]));
    for (const { path, size, mtimeMs } of found.files.files) hash.update(JSON.stringify([path, size, mtimeMs]));
    const stamp = hash.digest('base64');
    this.#stamps.set(found, { hasEnded, stamp });
    return stamp;
  }

  /** Complete content for a record of the session; `null` if the id is unknown. */
  async history(id: string, prices: PriceTable): Promise<ObservedHistory | null> {
    const [found, read] = [await this.find(id), await this.read(id)];
    if (found === undefined || read === null) return null;
    const { facts, entries, problems } = read;
    const followed = await this.#toFollowed(found);
    const { requests } = this.#found.has(id) ? followed.share : facts;
    const { summary } = rowOf(followed, prices, this.#options.clock());
    return { summary, facts, requests, entries, problems };
  }

  /** Transcript of one session; `null` if the id is unknown. Reads no other sessions. */
  async read(id: string): Promise<ObservedTranscript | null> {
    const found = await this.find(id);
    if (found === undefined) return null;
    const { files, problem } = found;
    const { agent, label } = files.format;
    const live = this.#liveOf(found);
    const path = mainFile(files)?.path ?? '';
    const reader = new SessionReader({ entries: true, clock: this.#options.clock });
    const transcript = new Transcript();
    transcript.apply((await reader.advance(files, found.notes)).updates);
    transcript.apply(reader.end(live.state !== 'ended'));
    const problems = [...new Set([problem, reader.problem].filter((given) => given !== null))];
    return { id, agent, label, path, live, facts: reader.facts(), entries: transcript.settledEntries(), problems };
  }

  #liveOf({ files, brief, mark }: FoundSession): LiveState {
    return liveOf(files, brief, mark, this.#options.clock());
  }

  async #toFollowed(found: FoundSession): Promise<FollowedSession> {
    const group = await this.#countGroup(found);
    const followed = group.find(({ id }) => id === found.id);
    if (followed === undefined) throw new Error('Every session is in its group.');
    return followed;
  }

  /** The session and all that have requests in common with it, counted together. */
  async #countGroup(of: FoundSession): Promise<FollowedSession[]> {
    const sessions = this.#sharedKeys.group(of.id).flatMap((id) => (id === of.id ? of : (this.#found.get(id) ?? [])));
    const all: (Omit<FollowedSession, 'share' | 'parentId'> & { readonly agent: ObservedAgent })[] = [];
    for (const { id, files, notes, mark, problem } of sessions) {
      const facts = await this.#factsMemory.allFacts(id, files, notes);
      all.push({ id, files, notes, mark, problem, facts, agent: files.format.agent });
    }
    const shares = deduplicate(all);
    return all.flatMap(({ agent, ...session }, at) => {
      const share = shares[at];
      if (share === undefined) return [];
      return [{ ...session, share, parentId: share.parent === null ? null : this.#parentId(agent, share.parent) }];
    });
  }

  async #replaceSessions(stores: readonly Store[], found: readonly FoundSession[], prices: PriceTable): Promise<void> {
    this.#stores = stores;
    this.#found = new Map(found.map((session) => [session.id, session]));
    this.#sharedKeys.reset(new Map(found.map(({ id, keys }) => [id, keys])));
    await this.#updateRows(new Set([...this.#rows.keys(), ...this.#found.keys()]), prices);
  }

  async #scanStores(): Promise<StoreScan[]> {
    const { formats, place } = this.#options;
    const scans: StoreScan[] = [];
    for (const format of formats) scans.push(await scanStore(format, format.roots(place)));
    return scans;
  }

  async #readStores(scans: readonly StoreScan[]): Promise<Store[]> {
    await this.#partMemory.load();
    const stores: Store[] = [];
    for (const scan of scans) stores.push(await readStore(scan, this.#partMemory));
    return stores;
  }

  async *#sessionsOf(store: Store, sessions: readonly SessionFiles[]): AsyncGenerator<readonly FoundSession[]> {
    if (sessions.length === 0) return;
    const { format, roots } = store;
    const notes = await this.#notesMemory.notesOf(store);
    const marks = await liveSource(format.agent)?.marks(roots, sessions, this.#options.processes);
    const pace = new Pace();
    const read = async (files: SessionFiles): Promise<FoundSession> => {
      const id = observedId(format.agent, files.session);
      const known = await this.#factsMemory.briefOf(id, files, notes);
      return { id, files, notes, ...known, mark: markOf(known.brief, marks) };
    };
    for (let from = 0; from < sessions.length; from += maxConcurrentReads) {
      await pace.step();
      yield await Promise.all(sessions.slice(from, from + maxConcurrentReads).map(read));
    }
  }

  /** Updates the rows of these sessions and of unreadable files; with other prices, all rows. */
  async #updateRows(changed: ReadonlySet<string>, prices: PriceTable): Promise<void> {
    const ids = prices === this.#prices ? changed : new Set([...changed, ...this.#found.keys()]);
    this.#prices = prices;
    const drawn = new Set<string>();
    const pace = new Pace();
    for (const id of ids) {
      await pace.step();
      const found = this.#found.get(id);
      if (found === undefined) this.#rows.delete(id);
      else if (!drawn.has(id)) {
        for (const session of await this.#countGroup(found)) {
          drawn.add(session.id);
          const { summary, days } = rowOf(session, prices, this.#options.clock());
          if (this.#setRow(summary)) this.#spent.set(summary, observedSpent(summary, days));
        }
      }
    }
    for (const [id, { runs, executor_session_ids: ids }] of this.#rows) {
      if (runs === 0 && ids.length === 0 && !this.#found.has(id)) this.#rows.delete(id);
    }
    for (const row of this.#stores.flatMap((store) => problemRows(store, prices))) this.#setRow(row);
  }

  /** Keeps the known row, and returns `false`, if it is the same. */
  #setRow(row: ObservedSummary): boolean {
    const known = this.#rows.get(row.session_id);
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(row)) return false;
    this.#rows.set(row.session_id, row);
    return true;
  }

  #changesSince(before: ReadonlyMap<string, ObservedSummary>): SourcesChange {
    const changed = [...this.#rows.values()].filter((row) => before.get(row.session_id) !== row);
    return { changed, removed: [...before.keys()].filter((id) => !this.#rows.has(id)) };
  }

  #parentId(agent: ObservedAgent, nativeId: string): string | null {
    const id = observedId(agent, nativeId);
    return this.#found.has(id) ? id : null;
  }
}

function newestFirst(sessions: Iterable<SessionFiles>): SessionFiles[] {
  const changedAt = ({ files }: SessionFiles): number => Math.max(...files.map(({ mtimeMs }) => mtimeMs));
  return [...sessions].sort((a, b) => changedAt(b) - changedAt(a));
}

function markOf(
  { nativeIds }: BriefFacts,
  marks: ReadonlyMap<string, ProcessMark> | undefined,
): ProcessMark | undefined {
  return nativeIds.map((id) => marks?.get(id)).find((mark) => mark !== undefined);
}
