import type { PriceTable } from '../../insight/prices/prices.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Log } from '../api.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { isObserved, type SearchedSession, type SearchRequest } from '../search/types.ts';
import type { SessionSources } from '../sources/sources.ts';
import { isUnwritable } from './catalogue.ts';
import type { Database } from './database.ts';
import { ObservedRows, type ObservedSession } from './observedRows.ts';
import {
  indexedSessions,
  indexRecord,
  indexTranscript,
  recordStamp,
  type IndexedSession,
  type PriorityWork,
} from './indexSession.ts';
import { removeSession } from './sessionWriter.ts';
import { WriteBatch } from './writeBatch.ts';

/** Minimum interval between searches for other programs' sessions within a process, in ms. */
const minListIntervalMs = 5000;

/** Other programs' sessions, as far as indexing needs them. */
export type IndexedSources = Pick<SessionSources, 'list' | 'spentOf' | 'stampOf' | 'read'>;

interface Unreadable {
  readonly id: string;
  readonly reason: string;
}

/** Options for an update of the catalogue before it is read. */
export interface RefreshRequest extends Pick<SearchRequest, 'within' | 'signal' | 'onProgress'> {
  /** Time after which no further session is indexed, in ms. */
  readonly forMs?: number;
  /** Whether someone waits for the catalogue, so that no further session is indexed. */
  readonly isAwaited?: () => boolean;
}

/** The process that keeps the catalogue up to date for others. */
export interface CatalogueOwner {
  /** `sessions`: default all. @throws the signal's abort reason, or if the process cannot be reached */
  update(
    request: Pick<RefreshRequest, 'signal' | 'onProgress'> & { readonly sessions?: readonly string[] },
  ): Promise<{ readonly unreadable: readonly Unreadable[] }>;
}

export interface RefreshDeps {
  readonly store: RecordStore;
  /** Other programs' sessions; absent: only Vitrine's own are indexed. */
  readonly sources: IndexedSources | undefined;
  /** `sources` are watched continuously, so listing them is free. */
  readonly isWatched?: boolean;
  /** Settles when work with priority over indexing is done; `undefined` if there is none. */
  readonly urgent?: () => Promise<unknown> | undefined;
  /** Absent: this process updates the catalogue. */
  readonly owner?: CatalogueOwner | undefined;
  readonly prices: () => Promise<PriceTable>;
  readonly log: Log;
}

/** All sessions, indexed or not. */
export interface CatalogueState {
  /** Newest first; Vitrine's own, then those of other programs. */
  readonly summaries: readonly SearchedSession[];
  readonly unreadable: readonly Unreadable[];
  /** Number of sessions removed since the last update. */
  readonly removed: number;
  /** Number of sessions not indexed for lack of time. */
  readonly left: number;
}

interface StaleSession {
  readonly id: string;
  readonly index: (database: Database, batch: WriteBatch, turns: PriorityWork) => Promise<void>;
}

/** Updates the catalogue from records and sources. Reads only what changed. */
export class CatalogueRefresh {
  readonly #deps: RefreshDeps;
  readonly #rows = new ObservedRows();
  #observed: readonly ObservedSession[] = [];
  #observedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
  }

  /** @throws the signal's abort reason, SQLite errors if the database is damaged */
  async run(database: Database, request: RefreshRequest): Promise<CatalogueState> {
    const { store, owner } = this.#deps;
    const { summaries: own, unreadable } = await store.listRecords();
    const updated = await this.#askOwner(database, own, request);
    const observed = (await this.listObserved(database, own)).map(({ summary }) => summary);
    const summaries: SearchedSession[] = [...own, ...observed];
    const failed = [...unreadable, ...(updated ?? [])];
    for (const { session_id: id, problem } of observed) if (problem !== null) failed.push({ id, reason: problem });
    if (owner !== undefined && updated !== undefined) return { summaries, unreadable: failed, removed: 0, left: 0 };
    const indexed = indexedSessions(database);
    const present = new Set(summaries.map(({ session_id }) => session_id));
    const missing = [...indexed].filter(([id, { observed }]) => !present.has(id) && (owner === undefined || !observed));
    for (const [, session] of missing) removeSession(database, session);
    const wanted = summaries.filter((summary) => request.within?.(summary) ?? true);
    const stale = [...(await this.#staleRecords(wanted, indexed)), ...this.#staleObserved(wanted, indexed)];
    const { left, failed: notIndexed } = await this.#index(database, stale, request);
    return { summaries, unreadable: [...failed, ...notIndexed], removed: missing.length, left };
  }

  async #index(
    database: Database,
    stale: readonly StaleSession[],
    { signal, onProgress, forMs = Number.POSITIVE_INFINITY, isAwaited }: RefreshRequest,
  ): Promise<{ readonly left: number; readonly failed: readonly Unreadable[] }> {
    const { urgent } = this.#deps;
    const failed: Unreadable[] = [];
    const batch = new WriteBatch(database);
    const began = performance.now();
    const waiting: string[] = [];
    const tryTo = async (ids: readonly string[], work: () => void | Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof Error && 'errcode' in error && !isUnwritable(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        failed.push(...ids.map((id) => ({ id, reason })));
        this.#deps.log.warn(`Sessions cannot be searched (${ids.join(', ')}): ${reason}`);
      }
    };
    let left = stale.length;
    try {
      for (const { id, index } of stale) {
        if (performance.now() - began > forMs || (left < stale.length && isAwaited?.() === true)) break;
        await urgent?.();
        signal?.throwIfAborted();
        onProgress?.(stale.length - left, stale.length);
        await tryTo([id], () => index(database, batch, { signal, urgent }));
        left -= 1;
        waiting.push(id);
      }
    } finally {
      await tryTo(waiting, () => batch.flush());
    }
    return { left, failed };
  }

  /** Sessions that the owner could not index; `undefined` if there is no owner or it cannot be reached. */
  async #askOwner(
    database: Database,
    own: readonly SessionSummary[],
    { within, signal, onProgress }: RefreshRequest,
  ): Promise<readonly Unreadable[] | undefined> {
    const { owner, log } = this.#deps;
    if (owner === undefined) return undefined;
    const all = within === undefined ? [] : [...own, ...(await this.listObserved(database, own)).map(summaryOf)];
    const sessions = within === undefined ? undefined : all.filter(within).map(({ session_id: id }) => id);
    try {
      const { unreadable } = await owner.update({ ...(sessions !== undefined && { sessions }), signal, onProgress });
      return unreadable;
    } catch (error) {
      signal?.throwIfAborted();
      log.warn(`The catalogue is not up to date with sessions of other programs: ${String(error)}`);
      return undefined;
    }
  }

  /** As `observed`, after the owner, if any, has searched for new ones. */
  async findObserved(database: Database, own: readonly SessionSummary[]): Promise<readonly ObservedSession[]> {
    await this.#askOwner(database, own, { within: () => false });
    return this.listObserved(database, own);
  }

  /** Other programs' sessions that Vitrine did not record itself, as this or another process last found them. */
  async listObserved(database: Database, own: readonly SessionSummary[]): Promise<readonly ObservedSession[]> {
    const { sources, prices, isWatched = false } = this.#deps;
    if (sources === undefined) this.#observed = this.#rows.read(database);
    else if (isWatched || performance.now() - this.#observedAt > minListIntervalMs) {
      const known = new Map(this.#observed.map((session) => [session.summary, session]));
      const sessions = (await sources.list(await prices())).map(
        (summary) => known.get(summary) ?? { summary, spent: sources.spentOf(summary) ?? [] },
      );
      this.#observed = sessions;
      this.#observedAt = performance.now();
      this.#rows.write(database, this.#observed, this.#deps.log);
    }
    const recorded = new Set(own.flatMap(({ executor_session_ids: ids }) => ids));
    return this.#observed.filter(({ summary }) => !summary.executor_session_ids.some((id) => recorded.has(id)));
  }

  async #staleRecords(
    wanted: readonly SearchedSession[],
    indexed: ReadonlyMap<string, IndexedSession>,
  ): Promise<StaleSession[]> {
    const { store } = this.#deps;
    const stale: StaleSession[] = [];
    for (const session of wanted) {
      if (isObserved(session)) continue;
      const id = session.session_id;
      const stamp = await recordStamp(store.path(id)).catch(() => '');
      const known = indexed.get(id);
      if (known?.stamp === stamp) continue;
      const index: StaleSession['index'] = async (database, batch, turns) => {
        const reader = await store.openReader(id);
        try {
          await indexRecord(database, batch, reader, { stamp, known }, turns);
        } finally {
          await reader.close();
        }
      };
      stale.push({ id, index });
    }
    return stale;
  }

  #staleObserved(wanted: readonly SearchedSession[], indexed: ReadonlyMap<string, IndexedSession>): StaleSession[] {
    const { sources } = this.#deps;
    const stale: StaleSession[] = [];
    for (const session of wanted) {
      if (!isObserved(session)) continue;
      const id = session.session_id;
      const stamp = sources?.stampOf(id);
      if (stamp === undefined || indexed.get(id)?.stamp === stamp) continue;
      const index: StaleSession['index'] = async (database, batch, turns) => {
        const read = await sources?.read(id);
        const { entries = [], problems = [] } = read ?? {};
        await indexTranscript(database, batch, id, { entries, stamp, damaged: problems.length > 0 }, turns);
      };
      stale.push({ id, index });
    }
    return stale;
  }
}

function summaryOf({ summary }: ObservedSession): SearchedSession {
  return summary;
}
