import path from 'node:path';
import { isEmptyQuery, parseQuery, type Query } from '../../insight/search/query.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Database } from '../catalogue/database.ts';
import { recentEdits, sessionsTouching, type RecentEdit } from '../catalogue/edits.ts';
import { indexedSession, indexedSessions, type IndexedSession } from '../catalogue/indexSession.ts';
import type { ObservedSession } from '../catalogue/observedRows.ts';
import { CatalogueRefresh, type CatalogueState, type RefreshDeps, type RefreshRequest } from '../catalogue/refresh.ts';
import { expungeDeleted } from '../catalogue/expunge.ts';
import { entryId, type SessionBlocks } from '../catalogue/schema.ts';
import { removeSession } from '../catalogue/sessionWriter.ts';
import { logFiltering } from '../log/metadataLog.ts';
import { candidatesLike, isInexact, scoreOf, type Candidate, type Corpus } from './candidates.ts';
import { matchesBySession, type SessionMatches } from './matches.ts';
import {
  isObserved,
  type SimilarPassages,
  type SimilarEntry,
  type SimilarRequest,
  type SearchCoverage,
  type SearchAnswer,
  type SearchedSession,
  type SearchRequest,
  type SessionHits,
} from './types.ts';
import {
  countSynthetic,
  maxRead,
  observedEntries,
  keepSynthetic,
  readHits,
  recordedEntries,
  withoutSynthetic,
  type Candidates,
} from './readHits.ts';

const defaultSessions = 50;
const defaultHits = 10;
/** Default number of excerpts over all sessions; beyond it, each session has only its best one. */
const maxExcerpts = 50;
const minHits = 1;
/** Number of candidates to read for each result. */
const candidatesPerResult = 3;

/** Sessions to search, with their numbers in the catalogue. */
interface Scope {
  readonly catalogueState: CatalogueState;
  readonly chosenSessions: readonly { readonly session: SearchedSession; readonly indexed: IndexedSession }[];
  readonly scanned: SearchCoverage;
  readonly corpus: Corpus;
}

/** Delay after the last deletion, in ms. */
const expungeAfterMs = 500;

/** Full-text search over all sessions, including tool output. Indexes changes first, so that results are complete. */
export class SessionSearch {
  readonly #catalogue: Catalogue;
  readonly #deps: RefreshDeps;
  readonly #refresh: CatalogueRefresh;
  /** Serializes searches and updates, which would otherwise index the same sessions twice. */
  #queue: Promise<unknown> = Promise.resolve();
  #queuedTasks = 0;
  #expungeTimer: NodeJS.Timeout | undefined;

  constructor(catalogue: Catalogue, deps: RefreshDeps) {
    this.#catalogue = catalogue;
    this.#deps = deps;
    this.#refresh = new CatalogueRefresh(deps);
  }

  /** @throws the signal's abort reason, SQLite errors if the catalogue can be neither read nor created */
  search(request: SearchRequest): Promise<SearchAnswer> {
    return this.#enqueue(async (database) => {
      const { query, problems } = parseQuery(request.query);
      const { chosenSessions, scanned, corpus } = await this.#findScope(database, request);
      if (isEmptyQuery(query)) return { sessions: [], moreSessions: 0, leftOut: 0, problems, scanned };
      const blocks = chosenSessions.map(({ indexed }) => indexed);
      const matches = matchesBySession(database, query, corpus, blocks);
      const found = rankSessions(matches, chosenSessions, request.synthetic === true);
      if (request.synthetic === true)
        return { ...answer(database, query, found, request).answer, leftOut: 0, problems, scanned };
      const observed = new Set(chosenSessions.flatMap(({ indexed }) => (indexed.observed ? [indexed.no] : [])));
      const automatic = matches.filter(({ sessionNumber, synthetic }) => synthetic > 0 && !observed.has(sessionNumber));
      const leftOut = await this.#countLeftOut(
        query,
        candidatesBySession(
          automatic.flatMap((found) => found.automatic()),
          chosenSessions,
        ),
      );
      const { answer: best, entries } = answer(database, query, found, request);
      logFiltering(this.#deps.log, 'search', { total: entries + leftOut, filtered: leftOut });
      return { ...best, leftOut, problems, scanned };
    });
  }

  /** Entries that contain most of the words, without automatic messages. @throws as `search` */
  findSimilar({ words, atLeast, kinds, most, ...request }: SimilarRequest): Promise<SimilarPassages> {
    return this.#enqueue(async (database) => {
      const { chosenSessions, scanned, corpus } = await this.#findScope(database, request);
      if (words.length === 0) return { entries: [], leftOut: { count: 0, entries: [] }, scanned };
      const like = candidatesLike(database, { words, kinds, atLeast }, corpus);
      const found = candidatesBySession(like.found, chosenSessions);
      const score = (text: string): number => scoreOf(text, like.rarity, corpus);
      const people = found.map(withoutSynthetic).filter((candidates) => candidates !== undefined);
      const leftOut = {
        count: found.reduce((sum, { synthetic }) => sum + synthetic.length, 0),
        entries: await this.#rankBest(database, found.map(keepSynthetic), { most, score }),
      };
      return { entries: await this.#rankBest(database, people, { most, score }), leftOut, scanned };
    });
  }

  /** Rebuilds the whole catalogue. */
  async rebuild(request: Pick<SearchRequest, 'signal' | 'onProgress'> = {}): Promise<SearchCoverage> {
    await this.#catalogue.reset();
    return this.#enqueue(async (database) => (await this.#findScope(database, request)).scanned);
  }

  /** Indexes changes. @throws as `search` */
  update(request: RefreshRequest): Promise<Pick<CatalogueState, 'unreadable' | 'left'>> {
    return this.#enqueue((database) => this.#refreshCatalogue(database, request));
  }

  /** Indexes changes for that time, in ms, or until another request waits. @throws as `search` */
  updateMeanwhile(
    forMs: number,
    request: Pick<RefreshRequest, 'onProgress'>,
  ): Promise<Pick<CatalogueState, 'unreadable' | 'left'>> {
    return this.update({ ...request, forMs, isAwaited: () => this.#queuedTasks > 0 });
  }

  /** Usage of other programs' sessions that Vitrine did not record itself. @throws as `search` */
  listObserved(own: readonly SessionSummary[]): Promise<readonly ObservedSession[]> {
    return this.#enqueue((database) => this.#refresh.findObserved(database, own));
  }

  /** Files that agents changed most recently, newest first. `within` as in a search. @throws as `search` */
  recentEdits(request: Pick<SearchRequest, 'within' | 'signal' | 'onProgress'>, most: number): Promise<RecentEdit[]> {
    return this.#enqueue(async (database) => {
      const { chosenSessions } = await this.#findScope(database, request);
      return recentEdits(database, new Map(chosenSessions.map(({ session }) => [session.session_id, session])), most);
    });
  }

  /** Sessions with tool calls that read or changed the file with this absolute path. @throws as `search` */
  findSessionsTouching(
    file: string,
    request: Pick<SearchRequest, 'within' | 'signal'>,
  ): Promise<{ readonly sessions: readonly SearchedSession[]; readonly searched: number }> {
    return this.#enqueue(async (database) => {
      const { chosenSessions, scanned } = await this.#findScope(database, request);
      const names = new Set([file.replaceAll('\\', '/'), file]);
      for (const { session } of chosenSessions) {
        const relative = path.relative(session.project_dir ?? file, file).replaceAll('\\', '/');
        if (relative !== '' && !relative.startsWith('..')) names.add(relative).add(`./${relative}`);
      }
      const found = sessionsTouching(database, [...names]);
      const sessions = chosenSessions.flatMap(({ session }) => (found.has(session.session_id) ? [session] : []));
      return { sessions, searched: scanned.sessions };
    });
  }

  /** Removes a deleted session. Soon afterwards, its text is also gone from the file. */
  forget(id: string): Promise<void> {
    return this.#enqueue((database) => {
      const session = indexedSession(database, id);
      if (session === undefined) return;
      removeSession(database, session);
      this.#scheduleExpunge();
    });
  }

  /** Once for several deletions, because it rewrites the whole index. */
  #scheduleExpunge(): void {
    clearTimeout(this.#expungeTimer);
    this.#expungeTimer = setTimeout(() => {
      this.#enqueue(expungeDeleted).catch((error: unknown) => {
        this.#deps.log.warn(`Could not remove words of deleted sessions from the catalogue: ${String(error)}`);
      });
    }, expungeAfterMs);
    this.#expungeTimer.unref();
  }

  #enqueue<T>(work: (database: Database) => T | Promise<T>): Promise<T> {
    this.#queuedTasks += 1;
    const result = this.#queue.then(() => {
      this.#queuedTasks -= 1;
      return this.#catalogue.use(work);
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #refreshCatalogue(database: Database, request: RefreshRequest): Promise<CatalogueState> {
    const known = await this.#refresh.run(database, request);
    if (known.removed > 0) this.#scheduleExpunge();
    return known;
  }

  async #findScope(
    database: Database,
    request: Pick<SearchRequest, 'within' | 'signal' | 'onProgress'>,
  ): Promise<Scope> {
    const catalogueState = await this.#refreshCatalogue(database, request);
    const inScope = catalogueState.summaries.filter((session) => request.within?.(session) ?? true);
    const all = indexedSessions(database);
    const failed = new Set(catalogueState.unreadable.map(({ id }) => id));
    const chosenSessions = inScope.flatMap((session) => {
      const indexed = all.get(session.session_id);
      return indexed === undefined ? [] : [{ session, indexed }];
    });
    const sum = (of: (indexed: IndexedSession) => number): number =>
      chosenSessions.reduce((total, { indexed }) => total + of(indexed), 0);
    const corpus = { entries: sum(({ entries }) => entries), words: sum(({ words }) => words) };
    const scanned: SearchCoverage = {
      sessions: inScope.filter(({ session_id: id }) => !failed.has(id)).length,
      entries: corpus.entries,
      cut: sum(({ cut }) => cut),
      damaged: chosenSessions.flatMap(({ session, indexed }) => (indexed.damaged ? [session.session_id] : [])),
      unreadable: catalogueState.unreadable,
      elsewhere: catalogueState.summaries.length - inScope.length,
    };
    return { catalogueState, chosenSessions, scanned, corpus };
  }

  /** Ranks by term frequency, which needs the text: the index only knows that entries contain the words. */
  async #rankBest(
    database: Database,
    found: readonly Candidates[],
    { most, score }: { readonly most: number; readonly score: (text: string) => number },
  ): Promise<SimilarEntry[]> {
    const maxCandidates = most * candidatesPerResult;
    const least = scoreAtLimit(
      found.flatMap(({ scores }) => [...scores.values()]),
      maxCandidates,
    );
    const entries: SimilarEntry[] = [];
    for (const { session, blocks, scores } of found) {
      const best = [...scores].filter(([, value]) => value >= least).sort(([, a], [, b]) => b - a);
      if (best.length === 0) continue;
      const promising = best.slice(0, maxCandidates);
      const read = isObserved(session)
        ? observedEntries(database, blocks, promising)
        : await recordedEntries(this.#deps.store, session.session_id, promising);
      entries.push(...read.map(({ entry }) => ({ session, entry, score: score(entry.content) })));
    }
    return entries.sort((a, b) => b.score - a.score).slice(0, most);
  }

  async #countLeftOut(query: Query, found: readonly Candidates[]): Promise<number> {
    const { store, log } = this.#deps;
    let sum = 0;
    for (const candidates of found) sum += await countSynthetic(store, candidates, query, log);
    return sum;
  }
}

/** A session with matches. */
interface RankedSession {
  readonly session: SearchedSession;
  readonly blocks: SessionBlocks;
  /** Number of matches that count. */
  readonly count: number;
  readonly rank: number;
  readonly best: SessionMatches['best'];
}

/** Best first. Automatic messages count only if wanted. */
function rankSessions(
  matches: readonly SessionMatches[],
  chosen: Scope['chosenSessions'],
  withSynthetic: boolean,
): RankedSession[] {
  const sessions = new Map(chosen.map((session) => [session.indexed.no, session]));
  return matches
    .flatMap(({ sessionNumber, count, highestScore, synthetic, highestSynthetic, best }) => {
      const chosen = sessions.get(sessionNumber);
      const all = count + (withSynthetic ? synthetic : 0);
      if (chosen === undefined || all === 0) return [];
      const most = Math.max(highestScore, withSynthetic ? highestSynthetic : 0);
      return [{ session: chosen.session, blocks: chosen.indexed, count: all, rank: rankOf(most, all), best }];
    })
    .sort(compareRanks);
}

/** `found`: best first. `entries`: number of matches, as far as known, including sessions beyond the limit. */
function answer(
  database: Database,
  query: Query,
  found: readonly RankedSession[],
  { mostSessions = defaultSessions, mostHits, signal, synthetic = false }: SearchRequest,
): { readonly answer: Pick<SearchAnswer, 'sessions' | 'moreSessions'>; readonly entries: number } {
  const sessions: SessionHits[] = [];
  const options = { isInexact: isInexact(query) };
  let searchedCount = 0;
  let room = mostHits === undefined ? maxExcerpts : Number.POSITIVE_INFINITY;
  for (const { session, blocks, count, best } of found) {
    if (sessions.length === mostSessions) break;
    searchedCount += 1;
    signal?.throwIfAborted();
    const most = Math.min(mostHits ?? defaultHits, Math.max(minHits, room));
    const rankedEntries = best(options.isInexact ? maxRead : most, synthetic);
    const hits = readHits(database, { session, blocks, count, rankedEntries }, query, { ...options, most });
    if (hits === undefined) continue;
    sessions.push(hits);
    room -= hits.hits.length;
  }
  const more = found.slice(searchedCount);
  const entries = [...sessions, ...more].reduce((sum, { count }) => sum + count, 0);
  return { answer: { sessions, moreSessions: more.length }, entries };
}

/** Candidates of the searched sessions. */
function candidatesBySession(found: readonly Candidate[], chosen: Scope['chosenSessions']): Candidates[] {
  const sessions = new Map(
    chosen.map(({ session, indexed: blocks }) => [
      blocks.no,
      { session, blocks, scores: new Map<number, number>(), synthetic: [] as number[] },
    ]),
  );
  for (const { id, sessionNumber, score, isSynthetic } of found) {
    const session = sessions.get(sessionNumber);
    if (session === undefined) continue;
    const index = id - entryId(session.blocks, 0);
    session.scores.set(index, score);
    if (isSynthetic) session.synthetic.push(index);
  }
  return [...sessions.values()].filter(({ scores }) => scores.size > 0);
}

/** Lowest score among the best `most`. */
function scoreAtLimit(scores: readonly number[], most: number): number {
  return [...scores].sort((a, b) => b - a)[most - 1] ?? 0;
}

function compareRanks(a: RankedSession, b: RankedSession): number {
  return b.rank - a.rank || (a.session.updated_at < b.session.updated_at ? 1 : -1);
}

/** A session with many matches ranks slightly above its best match. */
function rankOf(best: number, count: number): number {
  return best * (1 + Math.log10(1 + count) / 10);
}
