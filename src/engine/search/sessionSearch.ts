import path from 'node:path';
import { isEmptyQuery, parseQuery, type Query } from '../../insight/search/query.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { RecordStore } from '../record/store.ts';
import type { Log } from '../api.ts';
import { logFiltering } from '../metadataLog.ts';
import type {
  LikeAnswer,
  LikeEntry,
  LikeRequest,
  Scanned,
  SearchAnswer,
  SearchRequest,
  SessionHits,
} from './contract.ts';
import { counts, evaluate, type Plan, planOf, planOfWords, syntheticIn } from './evaluate.ts';
import { indexSession, stampOf } from './indexSession.ts';
import { IndexStore, type SessionIndex } from './indexStore.ts';
import { countSynthetic, entriesOf, onlySynthetic, readHits, type Candidates, withoutSynthetic } from './readHits.ts';

const defaultSessions = 50;
const defaultHits = 20;
/** Sessions after whose indexing the manifest is written, so that little is lost when a window closes meanwhile. */
const savedEvery = 20;

interface SearchDeps {
  readonly store: RecordStore;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

interface Known {
  readonly summaries: readonly SessionSummary[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * Full-text search over all records, tool output included. The index is made when somebody first searches, is kept on
 * disk, and is brought up to date by reading the records that changed; it can be made again at any time.
 */
export class SessionSearch {
  readonly #deps: SearchDeps;
  readonly #index: IndexStore;
  /** Stamps of sessions whose parts were seen to be there. */
  readonly #whole = new Set<string>();
  /** One search or change at a time: what they read and write is the same. */
  #last: Promise<unknown> = Promise.resolve();

  /** `storeDir` holds `sessions/`, and `search/` when it is made. */
  constructor(storeDir: string, deps: SearchDeps) {
    this.#deps = deps;
    this.#index = new IndexStore(path.join(storeDir, 'search'), deps.clock);
  }

  /** @throws the reason of the signal; file system errors where the index cannot be written */
  search(request: SearchRequest): Promise<SearchAnswer> {
    return this.#alone(async () => {
      const { query, problems } = parseQuery(request.query);
      const known = await this.#refresh(request);
      const chosen = known.summaries.filter(wanted(request));
      const scanned = await this.#scanned(chosen, known);
      if (isEmptyQuery(query)) return { sessions: [], moreSessions: 0, leftOut: 0, problems, scanned };
      const candidates = await this.#candidates(planOf(query), chosen, scanned.entries, request.signal);
      if (request.synthetic === true)
        return { ...(await this.#answer(query, candidates, request)).answer, leftOut: 0, problems, scanned };
      const leftOut = await this.#leftOut(query, candidates);
      const people = candidates.map(withoutSynthetic).filter((each) => each !== undefined);
      const { answer, entries } = await this.#answer(query, people.sort(byBest), request);
      logFiltering(this.#deps.log, 'search', { total: entries + leftOut, filtered: leftOut });
      return { ...answer, leftOut, problems, scanned };
    });
  }

  /** Entries that hold most of what the words are about, without messages that no person wrote. @throws as `search` */
  like({ words, atLeast, kinds, most, ...request }: LikeRequest): Promise<LikeAnswer> {
    return this.#alone(async () => {
      const known = await this.#refresh(request);
      const chosen = known.summaries.filter(wanted(request));
      const scanned = await this.#scanned(chosen, known);
      if (words.length === 0) return { entries: [], leftOut: { count: 0, entries: [] }, scanned };
      const plan = planOfWords(words, kinds, atLeast);
      const candidates = await this.#candidates(plan, chosen, scanned.entries, request.signal);
      const people = candidates.map(withoutSynthetic).filter((each) => each !== undefined);
      const leftOut = {
        count: candidates.reduce((sum, { synthetic }) => sum + synthetic.length, 0),
        entries: await this.#readBest(candidates.map(onlySynthetic), most),
      };
      return { entries: await this.#readBest(people, most), leftOut, scanned };
    });
  }

  /** Makes the whole index again. */
  rebuild(request: Pick<SearchRequest, 'signal' | 'onProgress'> = {}): Promise<Scanned> {
    return this.#alone(async () => {
      await this.#index.clear();
      const known = await this.#refresh(request);
      return this.#scanned(known.summaries, known);
    });
  }

  /** Forgets what it knows of a session that is deleted. */
  forget(id: string): Promise<void> {
    return this.#alone(async () => {
      if (!(await this.#index.sessions()).has(id)) return;
      await this.#index.forget(id);
      await this.#index.save();
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Reads the records that changed since they were indexed, of those that are asked for. */
  async #refresh(request: Pick<SearchRequest, 'within' | 'signal' | 'onProgress'>): Promise<Known> {
    const { signal, onProgress } = request;
    const { store, log } = this.#deps;
    const { summaries, unreadable } = await store.survey();
    const failed = [...unreadable];
    const indexed = await this.#index.sessions();
    const stale: { id: string; stamp: string; known: SessionIndex | undefined }[] = [];
    for (const { session_id: id } of summaries.filter(wanted(request))) {
      const stamp = await stampOf(store.path(id)).catch(() => '');
      const known = indexed.get(id);
      if (known?.stamp !== stamp) stale.push({ id, stamp, known });
      else if (!this.#whole.has(stamp) && !(await this.#isWhole(id, known)))
        stale.push({ id, stamp, known: undefined });
    }
    const present = new Set(summaries.map((each) => each.session_id));
    const gone = [...indexed.keys()].filter((id) => !present.has(id));
    for (const id of gone) await this.#index.forget(id);
    for (const [at, { id, stamp, known }] of stale.entries()) {
      signal?.throwIfAborted();
      onProgress?.(at, stale.length);
      try {
        const reader = await store.openReader(id);
        try {
          await this.#index.set(id, await indexSession(reader, stamp, known, this.#index, signal));
        } finally {
          await reader.close();
        }
      } catch (error) {
        signal?.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        failed.push({ id, reason });
        log.warn(`Session ${id} cannot be searched: ${reason}`);
      }
      if (at % savedEvery === savedEvery - 1) await this.#index.save();
    }
    if (stale.length > 0 || gone.length > 0) await this.#index.save();
    return { summaries, unreadable: failed };
  }

  async #isWhole(id: string, { parts, stamp }: SessionIndex): Promise<boolean> {
    for (const part of parts.keys()) if ((await this.#index.segment(id, part)) === undefined) return false;
    this.#whole.add(stamp);
    return true;
  }

  async #scanned(chosen: readonly SessionSummary[], { summaries, unreadable }: Known): Promise<Scanned> {
    const indexed = await this.#index.sessions();
    const failed = new Set(unreadable.map(({ id }) => id));
    const read = chosen.map((each) => each.session_id).filter((id) => !failed.has(id));
    const parts = read.flatMap((id) => indexed.get(id)?.parts ?? []);
    return {
      sessions: read.length,
      entries: parts.reduce((sum, { from, to }) => sum + to - from, 0),
      cut: parts.reduce((sum, { cut }) => sum + cut, 0),
      damaged: read.filter((id) => indexed.get(id)?.damaged === true),
      unreadable,
      elsewhere: summaries.length - chosen.length,
    };
  }

  /** Per session, what meets the plan. */
  async #candidates(
    plan: Plan,
    chosen: readonly SessionSummary[],
    entries: number,
    signal: AbortSignal | undefined,
  ): Promise<Candidates[]> {
    if (plan.clauses.length === 0) return [];
    const indexed = await this.#index.sessions();
    const total = plan.clauses.map(() => 0);
    const hopeful: { session: SessionSummary; parts: number[] }[] = [];
    let words = 0;
    for (const session of chosen) {
      signal?.throwIfAborted();
      const parts = indexed.get(session.session_id)?.parts ?? [];
      const some: number[] = [];
      for (const [part, { words: own }] of parts.entries()) {
        words += own;
        const segment = await this.#index.segment(session.session_id, part);
        const found = segment === undefined ? undefined : counts(plan, segment);
        if (found === undefined) continue;
        found.forEach((count, at) => (total[at] = (total[at] ?? 0) + count));
        some.push(part);
      }
      if (some.length > 0) hopeful.push({ session, parts: some });
    }
    const found: Candidates[] = [];
    for (const { session, parts } of hopeful) {
      const scores = new Map<number, number>();
      const synthetic: number[] = [];
      for (const part of parts) {
        const segment = await this.#index.segment(session.session_id, part);
        if (segment === undefined) continue;
        const marked = syntheticIn(segment);
        for (const [entry, score] of evaluate(plan, segment, { entries, words, counts: total })) {
          scores.set(entry, score);
          if (marked.has(entry)) synthetic.push(entry);
        }
      }
      if (scores.size > 0) found.push({ session, scores, synthetic, inexact: plan.inexact });
    }
    return found.sort(byBest);
  }

  /** Best first. */
  async #readBest(candidates: readonly Candidates[], most: number): Promise<LikeEntry[]> {
    const least = nth(
      candidates.flatMap(({ scores }) => [...scores.values()]),
      most,
    );
    const entries: LikeEntry[] = [];
    for (const { session, scores } of candidates) {
      const best = [...scores].filter(([, score]) => score >= least).sort(([, a], [, b]) => b - a);
      if (best.length === 0) continue;
      const read = await entriesOf(this.#deps.store, session.session_id, best.slice(0, most));
      entries.push(...read.map((each) => ({ session, ...each })));
    }
    return entries.sort((a, b) => b.score - a.score).slice(0, most);
  }

  async #leftOut(query: Query, candidates: readonly Candidates[]): Promise<number> {
    const { store, log } = this.#deps;
    let sum = 0;
    for (const each of candidates) sum += await countSynthetic(store, each, query, log);
    return sum;
  }

  /** `entries`: how many answer, in sessions that are left off too, as far as that is known. */
  async #answer(
    query: Query,
    candidates: readonly Candidates[],
    { mostSessions = defaultSessions, mostHits = defaultHits, signal }: SearchRequest,
  ): Promise<{ readonly answer: Pick<SearchAnswer, 'sessions' | 'moreSessions'>; readonly entries: number }> {
    const sessions: SessionHits[] = [];
    let looked = 0;
    for (const each of candidates) {
      if (sessions.length === mostSessions) break;
      looked += 1;
      signal?.throwIfAborted();
      const found = await readHits(this.#deps.store, each, query, mostHits);
      if (found !== undefined) sessions.push(found);
    }
    const more = candidates.slice(looked);
    const entries = [...sessions.map(({ count }) => count), ...more.map(({ scores }) => scores.size)];
    return {
      answer: { sessions, moreSessions: more.length },
      entries: entries.reduce((sum, count) => sum + count, 0),
    };
  }
}

const wanted =
  ({ within }: Pick<SearchRequest, 'within'>) =>
  (session: SessionSummary): boolean =>
    within?.(session) ?? true;

/** The score that the best `most` have at least. */
function nth(scores: readonly number[], most: number): number {
  return [...scores].sort((a, b) => b - a)[most - 1] ?? 0;
}

function byBest(a: Candidates, b: Candidates): number {
  return best(b) - best(a) || (a.session.updated_at < b.session.updated_at ? 1 : -1);
}

/** A session of which many entries answer is a little better than its best one. */
function best({ scores }: Candidates): number {
  let most = 0;
  for (const score of scores.values()) most = Math.max(most, score);
  return most * (1 + Math.log10(1 + scores.size) / 10);
}
