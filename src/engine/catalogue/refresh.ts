import { observedSpent } from '../../insight/observed/spent.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Log } from '../api.ts';
import { localDay } from '../usage/localDay.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { isObserved, type SearchedSession, type SearchRequest } from '../search/types.ts';
import type { SessionSources } from '../sources/sources.ts';
import { isUnwritable } from './catalogue.ts';
import type { Database } from './database.ts';
import { readObserved, writeObserved, type ObservedSession } from './observedRows.ts';
import { indexedSessions, indexRecord, indexTranscript, recordStamp, type IndexedSession } from './indexSession.ts';
import { removeSession } from './sessionWriter.ts';

/** In a process that continues, sessions of other programs are looked for again after so many ms. */
const observedMs = 5000;

export interface RefreshDeps {
  readonly store: RecordStore;
  /** Sessions of other programs; absent: only Vitrine's own are indexed. */
  readonly sources: SessionSources | undefined;
  readonly prices: () => Promise<PriceTable>;
  readonly log: Log;
}

/** What there is, indexed or not. */
export interface CatalogueState {
  /** Newest first; Vitrine's own, then those of other programs. */
  readonly summaries: readonly SearchedSession[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Sessions that existed before and no longer do. */
  readonly removed: number;
}

interface Stale {
  readonly id: string;
  readonly index: (database: Database, signal: AbortSignal | undefined) => Promise<void>;
}

/** Brings the catalogue up to date with records and sources. What did not change is not read. */
export class Refresh {
  readonly #deps: RefreshDeps;
  #observed: readonly ObservedSession[] = [];
  #observedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
  }

  /** @throws the reason of the signal; as SQLite does, where the database is damaged */
  async run(
    database: Database,
    { within, signal, onProgress }: Pick<SearchRequest, 'within' | 'signal' | 'onProgress'>,
  ): Promise<CatalogueState> {
    const { store } = this.#deps;
    const { summaries: own, unreadable } = await store.survey();
    const observed = (await this.observed(database, own)).map(({ summary }) => summary);
    const summaries: SearchedSession[] = [...own, ...observed];
    const failed = [...unreadable];
    for (const { session_id: id, problem } of observed) if (problem !== null) failed.push({ id, reason: problem });
    const indexed = indexedSessions(database);
    const present = new Set(summaries.map(({ session_id }) => session_id));
    const gone = [...indexed].filter(([id]) => !present.has(id));
    for (const [, { no }] of gone) removeSession(database, no);
    const wanted = summaries.filter((each) => within?.(each) ?? true);
    const stale = [...(await this.#staleRecords(wanted, indexed)), ...this.#staleObserved(wanted, indexed)];
    for (const [at, { id, index }] of stale.entries()) {
      signal?.throwIfAborted();
      onProgress?.(at, stale.length);
      try {
        await index(database, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof Error && 'errcode' in error && !isUnwritable(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        failed.push({ id, reason });
        this.#deps.log.warn(`Session ${id} cannot be searched: ${reason}`);
      }
    }
    return { summaries, unreadable: failed, removed: gone.length };
  }

  /** Without those that Vitrine has recorded itself. Where no one looks for them here, as another process saw them last. */
  async observed(database: Database, own: readonly SessionSummary[]): Promise<readonly ObservedSession[]> {
    const { sources, prices } = this.#deps;
    if (sources === undefined) this.#observed = readObserved(database);
    else if (performance.now() - this.#observedAt > observedMs) {
      const table = await prices();
      const dayOf = (at: string): string => localDay(Date.parse(at));
      this.#observed = (await sources.list(table)).map((summary) => {
        const share = sources.shareOf(summary.session_id);
        return { summary, spent: share === undefined ? [] : observedSpent(summary, share, table, dayOf) };
      });
      this.#observedAt = performance.now();
      writeObserved(database, this.#observed, this.#deps.log);
    }
    const recorded = new Set(own.flatMap(({ executor_session_ids: ids }) => ids));
    return this.#observed.filter(({ summary }) => !summary.executor_session_ids.some((id) => recorded.has(id)));
  }

  async #staleRecords(
    wanted: readonly SearchedSession[],
    indexed: ReadonlyMap<string, IndexedSession>,
  ): Promise<Stale[]> {
    const { store } = this.#deps;
    const stale: Stale[] = [];
    for (const session of wanted) {
      if (isObserved(session)) continue;
      const id = session.session_id;
      const stamp = await recordStamp(store.path(id)).catch(() => '');
      const known = indexed.get(id);
      if (known?.stamp === stamp) continue;
      const index = async (database: Database, signal: AbortSignal | undefined): Promise<void> => {
        const reader = await store.openReader(id);
        try {
          await indexRecord(database, reader, { stamp, known, signal });
        } finally {
          await reader.close();
        }
      };
      stale.push({ id, index });
    }
    return stale;
  }

  #staleObserved(wanted: readonly SearchedSession[], indexed: ReadonlyMap<string, IndexedSession>): Stale[] {
    const { sources } = this.#deps;
    const stale: Stale[] = [];
    for (const session of wanted) {
      if (!isObserved(session)) continue;
      const id = session.session_id;
      const stamp = sources?.stampOf(id);
      if (stamp === undefined || indexed.get(id)?.stamp === stamp) continue;
      const index = async (database: Database, signal: AbortSignal | undefined): Promise<void> => {
        const read = await sources?.read(id);
        const { entries = [], problems = [] } = read ?? {};
        await indexTranscript(database, id, { entries, stamp, damaged: problems.length > 0 }, signal);
      };
      stale.push({ id, index });
    }
    return stale;
  }
}
