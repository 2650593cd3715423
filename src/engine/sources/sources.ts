import { createHash } from 'node:crypto';
import type { StoreFormat, StorePlace } from '../../agents/stores/storeFormat.ts';
import { deduplicate, type SessionShare } from '../../insight/observed/countOnce.ts';
import { observedSummary, type ObservedFacts, type ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ObservedAgent, StoreFacts } from '../../model/session/observed.ts';
import { Transcript } from '../../model/transcript/transcript.ts';
import type { ObservedHistory } from '../import/importObserved.ts';
import { localDay } from '../usage/localDay.ts';
import { rescanChanged } from './changedFiles.ts';
import { PartMemory, readStore, type SessionFiles, type Store } from './groups.ts';
import { observedId } from './ids.ts';
import { liveSource } from './live/agents.ts';
import { observedOf, summaryOf, type FollowedSession, type FoundSession } from './foundSession.ts';
import type { ProcessMark } from './live/marks.ts';
import type { ProcessProbe } from './live/processes.ts';
import type { FactsCache } from './reading/factsCache.ts';
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

/** Maximum number of sessions read at the same time. */
const maxConcurrentReads = 8;
/** Time until the first partial list, in ms, and the factor by which each later interval grows. */
const firstPartMs = 1000;
const partFactor = 3;

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
  readonly #parts = new PartMemory();
  readonly #notes = new NotesMemory();
  readonly #facts: FactsMemory;
  #stores: readonly Store[] = [];
  #found = new Map<string, FoundSession>();
  #shares = new Map<string, SessionShare>();
  #rows = new Map<string, ObservedSummary>();

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#facts = new FactsMemory(options.clock, options.cache);
  }

  /** Folders with stores. */
  folders(): string[] {
    const { formats, place } = this.#options;
    return formats.flatMap((format) => format.roots(place).map(({ path }) => path));
  }

  /** Folders to watch, as of the last scan: of sessions, and of processes. */
  watched(): { readonly sessions: readonly string[]; readonly processes: readonly string[] } {
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
    const stores = await this.#readStores();
    const found: FoundSession[] = [];
    let due = performance.now() + firstPartMs;
    let pause = firstPartMs;
    const onRead = (read: readonly FoundSession[]): void => {
      found.push(...read);
      if (onPart === undefined || performance.now() < due) return;
      this.#take(stores, found, prices);
      onPart([...this.#rows.values()]);
      pause *= partFactor;
      due = performance.now() + pause;
    };
    for (const store of stores) await this.#sessionsOf(store, newestFirst(store.sessions.values()), onRead);
    this.#take(stores, found, prices);
    this.#facts.keepOnly(this.#found);
    await this.#facts.save(this.#found);
    return [...this.#rows.values()];
  }

  /** Rescans changed files and folders only. Call `list` first. */
  async refresh(paths: ReadonlySet<string>, prices: PriceTable): Promise<SourcesChange> {
    const before = new Map(this.#rows);
    const dirty = new Set<string>();
    const stores: Store[] = [];
    const agents = new Set<ObservedAgent>();
    for (const store of this.#stores) {
      const own = new Set([...paths].filter((path) => store.roots.some((root) => path.startsWith(root.path))));
      if (own.size === 0) {
        stores.push(store);
        continue;
      }
      const looked = await rescanChanged(store, own, this.#parts);
      const { format } = store;
      const next = looked?.store ?? (await readStore(format, store.roots, this.#parts));
      stores.push(next);
      const names = looked?.sessions ?? new Set([...store.sessions.keys(), ...next.sessions.keys()]);
      const files = [...names].flatMap((name) => next.sessions.get(name) ?? []);
      for (const each of await this.#sessionsOf(next, files)) this.#found.set(each.id, each);
      for (const name of names) {
        const id = observedId(format.agent, name);
        dirty.add(id);
        if (!next.sessions.has(name)) this.#found.delete(id);
      }
      if (names.size > 0) agents.add(format.agent);
    }
    this.#stores = stores;
    for (const id of this.#share(agents)) dirty.add(id);
    this.#draw(dirty, prices);
    return this.#difference(before);
  }

  /** Rechecks the agents' processes only. Call `list` first. */
  async refreshLive(prices: PriceTable): Promise<SourcesChange> {
    const before = new Map(this.#rows);
    const dirty = new Set<string>();
    for (const { format, roots, sessions } of this.#stores) {
      const marks = await liveSource(format.agent)?.marks(roots, [...sessions.values()], this.#options.processes);
      for (const { session } of sessions.values()) {
        const id = observedId(format.agent, session);
        const found = this.#found.get(id);
        if (found === undefined) continue;
        const now = { ...found, mark: markOf(found.facts, marks) };
        const { state } = this.#observed(now).live;
        const then = this.#rows.get(id)?.live.state;
        if (then === state && JSON.stringify(found.mark) === JSON.stringify(now.mark)) continue;
        this.#found.set(id, now);
        dirty.add(id);
      }
    }
    this.#draw(dirty, prices);
    return this.#difference(before);
  }

  /** A session as of the last scan, or found now. Reads no other sessions. */
  async find(id: string): Promise<FoundSession | undefined> {
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    for (const store of this.#stores.length > 0 ? this.#stores : await this.#readStores()) {
      const files = [...store.sessions.values()].find(({ session }) => observedId(store.format.agent, session) === id);
      if (files !== undefined) return (await this.#sessionsOf(store, [files]))[0];
    }
    return undefined;
  }

  /** As `find`, with the data for the session's row. */
  async followed(id: string): Promise<FollowedSession | undefined> {
    const found = await this.find(id);
    return found === undefined ? undefined : this.#withShare(found);
  }

  /** Usage of a listed session without copied requests. */
  shareOf(id: string): SessionShare | undefined {
    return this.#shares.get(id);
  }

  /** State of a listed session's files, for comparison; `undefined` if there is none. */
  stampOf(id: string): string | undefined {
    const found = this.#found.get(id);
    if (found === undefined) return undefined;
    const { live, problem } = this.#observed(found);
    const hash = createHash('sha1').update(JSON.stringify([live.state === 'ended', problem]));
    for (const { path, size, mtimeMs } of found.files.files) hash.update(JSON.stringify([path, size, mtimeMs]));
    return hash.digest('base64');
  }

  /** Complete content for a record of the session; `null` if the id is unknown. */
  async history(id: string, prices: PriceTable): Promise<ObservedHistory | null> {
    const [found, read] = [await this.find(id), await this.read(id)];
    if (found === undefined || read === null) return null;
    const { facts, entries, problems } = read;
    const requests = this.#shares.get(id)?.requests ?? facts.requests;
    return { summary: this.#summaryOf(found, prices), facts, requests, entries, problems };
  }

  /** Transcript of one session; `null` if the id is unknown. Reads no other sessions. */
  async read(id: string): Promise<ObservedTranscript | null> {
    const found = await this.find(id);
    if (found === undefined) return null;
    const { live, path, label, agent, problem } = this.#observed(found);
    const reader = new SessionReader({ entries: true, clock: this.#options.clock });
    const transcript = new Transcript();
    transcript.apply((await reader.advance(found.files, found.notes)).updates);
    transcript.apply(reader.end(live.state !== 'ended'));
    const problems = [...new Set([problem, reader.problem].filter((each) => each !== null))];
    return { id, agent, label, path, live, facts: reader.facts(), entries: transcript.settled(), problems };
  }

  #withShare(found: FoundSession): FollowedSession {
    const { agent } = found.files.format;
    const [alone] = deduplicate([{ agent, facts: found.facts }]);
    const share = this.#shares.get(found.id) ?? alone;
    if (share === undefined) throw new Error('Every session has a share.');
    const parentId = share.parent === null ? null : this.#parentId(agent, share.parent);
    return { ...found, share, parentId };
  }

  #summaryOf(found: FoundSession, prices: PriceTable): ObservedSummary {
    return summaryOf(this.#withShare(found), prices, this.#options.clock());
  }

  #observed(found: FoundSession): ReturnType<typeof observedOf> {
    return observedOf(found, this.#options.clock());
  }

  #take(stores: readonly Store[], found: readonly FoundSession[], prices: PriceTable): void {
    this.#stores = stores;
    this.#found = new Map(found.map((each) => [each.id, each]));
    this.#rows.clear();
    this.#share(stores.map(({ format }) => format.agent));
    this.#draw(new Set(this.#found.keys()), prices);
  }

  async #readStores(): Promise<Store[]> {
    const { formats, place } = this.#options;
    const stores: Store[] = [];
    for (const format of formats) stores.push(await readStore(format, format.roots(place), this.#parts));
    return stores;
  }

  async #sessionsOf(
    store: Store,
    sessions: readonly SessionFiles[],
    onRead?: (found: readonly FoundSession[]) => void,
  ): Promise<FoundSession[]> {
    if (sessions.length === 0) return [];
    const { format, roots } = store;
    const notes = await this.#notes.of(store);
    const marks = await liveSource(format.agent)?.marks(roots, sessions, this.#options.processes);
    const found: FoundSession[] = [];
    const read = async (files: SessionFiles): Promise<FoundSession> => {
      const id = observedId(format.agent, files.session);
      const known = await this.#facts.of(id, files, notes);
      return { id, files, notes, ...known, mark: markOf(known.facts, marks) };
    };
    for (let from = 0; from < sessions.length; from += maxConcurrentReads) {
      const together = await Promise.all(sessions.slice(from, from + maxConcurrentReads).map(read));
      found.push(...together);
      onRead?.(together);
    }
    return found;
  }

  /** Recounts the shares of these agents' sessions. Returns the ids of sessions whose share changed. */
  #share(agents: Iterable<ObservedAgent>): string[] {
    const counted = new Set(agents);
    const found = [...this.#found.values()].filter(({ files }) => counted.has(files.format.agent));
    const shares = deduplicate(found.map(({ files, facts }) => ({ agent: files.format.agent, facts })));
    return found.flatMap(({ id }, at) => {
      const share = shares[at];
      if (share === undefined || sizeOf(share) === sizeOf(this.#shares.get(id))) return [];
      this.#shares.set(id, share);
      return [id];
    });
  }

  /** Rebuilds the rows of these sessions and of unreadable files. */
  #draw(ids: ReadonlySet<string>, prices: PriceTable): void {
    for (const id of ids) {
      const found = this.#found.get(id);
      if (found !== undefined) this.#rows.set(id, this.#summaryOf(found, prices));
      else {
        this.#rows.delete(id);
        this.#shares.delete(id);
      }
    }
    for (const [id, { runs, executor_session_ids: ids }] of this.#rows) {
      if (runs === 0 && ids.length === 0 && !this.#found.has(id)) this.#rows.delete(id);
    }
    for (const row of this.#stores.flatMap((store) => this.#problemRows(store, prices))) {
      this.#rows.set(row.session_id, row);
    }
  }

  #difference(before: ReadonlyMap<string, ObservedSummary>): SourcesChange {
    const changed = [...this.#rows.values()].filter((row) => {
      const known = before.get(row.session_id);
      return known !== row && JSON.stringify(known) !== JSON.stringify(row);
    });
    return { changed, removed: [...before.keys()].filter((id) => !this.#rows.has(id)) };
  }

  #parentId(agent: ObservedAgent, nativeId: string): string | null {
    const id = observedId(agent, nativeId);
    return this.#found.has(id) ? id : null;
  }

  /** An unreadable file or folder becomes a row with the reason. */
  #problemRows({ format, problems }: Store, prices: PriceTable): ObservedSummary[] {
    const parser = format.createParser({ entries: false, session: '', notes: new Map() });
    const facts = { ...parser.facts(), nativeIds: [] };
    const share = { requests: [], inherited: [], prompts: 0, toolCalls: 0, parent: null };
    const changedAt = new Date(0).toISOString();
    const live = { state: 'ended', since: null, source: 'record' } as const;
    return problems.map(({ path, reason }) => {
      const id = observedId(format.agent, path);
      const about = { id, agent: format.agent, label: format.label, facts, share, live, path, changedAt };
      return observedSummary({ ...about, problem: reason, parentId: null }, prices, localDay);
    });
  }
}

function newestFirst(sessions: Iterable<SessionFiles>): SessionFiles[] {
  const changedAt = ({ files }: SessionFiles): number => Math.max(...files.map(({ mtimeMs }) => mtimeMs));
  return [...sessions].sort((a, b) => changedAt(b) - changedAt(a));
}

function markOf(
  { nativeIds }: StoreFacts,
  marks: ReadonlyMap<string, ProcessMark> | undefined,
): ProcessMark | undefined {
  return nativeIds.map((id) => marks?.get(id)).find((each) => each !== undefined);
}

/** Shares only grow, so equal sizes mean equal shares. */
function sizeOf(share: SessionShare | undefined): string | undefined {
  if (share === undefined) return undefined;
  const { requests, inherited, prompts, toolCalls, parent } = share;
  const output = requests.reduce((sum, { usage }) => sum + (usage.output ?? 0), 0);
  return [requests.length, output, inherited.length, prompts, toolCalls, parent].join(' ');
}
