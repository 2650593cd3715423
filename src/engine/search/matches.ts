import type { Query } from '../../insight/search/query.ts';
import { type Database, numbersIn } from '../catalogue/database.ts';
import { entryLengths, type EntryLengths } from '../catalogue/entryLengths.ts';
import { endId, entryId, type SessionBlocks } from '../catalogue/schema.ts';
import { MatchScores, selectionOf, type Candidate, type Corpus, type IdStatement } from './candidates.ts';

/** Index of an entry, with its score. */
export type RankedEntry = readonly [index: number, score: number];

/** The entries of one session that match. Automatic messages are counted separately. */
export interface SessionMatches {
  /** The session's number in the catalogue. */
  readonly sessionNumber: number;
  readonly count: number;
  /** 0 if `count` is 0. */
  readonly highestScore: number;
  readonly synthetic: number;
  readonly highestSynthetic: number;
  /** Best first, at most `most`; entries with the same score in their order. */
  readonly best: (most: number, withSynthetic: boolean) => RankedEntry[];
  /** Automatic messages, in their order. */
  readonly automatic: () => Candidate[];
}

/**
 * Entries of `sessions` that contain every word of the query (the last word of each text as a prefix) and fit its
 * operators. SQLite returns their ids in one text: an object for each match of a frequent word, or a look at the row of each
 * entry, would take several times as long.
 */
export function matchesBySession(
  database: Database,
  query: Query,
  corpus: Corpus,
  sessions: readonly SessionBlocks[],
): SessionMatches[] {
  const selection = selectionOf(query);
  if (selection === undefined) return [];
  const ids = idsOf(database, selection.all);
  const exactFlags = marksOf(
    ids,
    selection.exactStatement === undefined ? ids : idsOf(database, selection.exactStatement),
  );
  const found: { readonly session: SessionBlocks; readonly from: number; readonly to: number }[] = [];
  let at = 0;
  for (const session of [...sessions].sort((a, b) => a.block - b.block)) {
    const from = placeOf(ids, entryId(session, 0), at);
    at = placeOf(ids, endId(session), from);
    if (at > from) found.push({ session, from, to: at });
  }
  const lengths = entryLengths(
    database,
    found.map(({ session }) => session),
  );
  const scores = new MatchScores(selection.terms, corpus);
  return found.flatMap(({ session, from, to }) => {
    const known = lengths.get(session.no);
    if (known === undefined) return [];
    return [sessionMatches({ session, ids, exactFlags, from, to, lengths: known, scores })];
  });
}

interface SessionPart {
  readonly session: SessionBlocks;
  /** Of all sessions. */
  readonly ids: Float64Array;
  readonly exactFlags: Uint8Array;
  /** The session's part of both. */
  readonly from: number;
  readonly to: number;
  readonly lengths: EntryLengths;
  readonly scores: MatchScores;
}

function sessionMatches(part: SessionPart): SessionMatches {
  let [count, highestScore, synthetic, highestSynthetic] = [0, 0, 0, 0];
  forEachMatch(part, (_index, score, isSynthetic) => {
    if (isSynthetic) {
      synthetic += 1;
      highestSynthetic = Math.max(highestSynthetic, score);
    } else {
      count += 1;
      highestScore = Math.max(highestScore, score);
    }
  });
  return {
    sessionNumber: part.session.no,
    ...{ count, highestScore, synthetic, highestSynthetic },
    best: (most, withSynthetic) => findBestEntries(part, most, withSynthetic),
    automatic: () => findAutomatic(part),
  };
}

function forEachMatch(
  { session, ids, exactFlags, from, to, lengths, scores }: SessionPart,
  take: (index: number, score: number, isSynthetic: boolean) => void,
): void {
  const first = entryId(session, 0);
  for (let place = from; place < to; place += 1) {
    const index = (ids[place] ?? 0) - first;
    take(index, scores.maxScore(lengths.words(index), exactFlags[place] === 1), lengths.isSynthetic(index));
  }
}

function findBestEntries(part: SessionPart, most: number, withSynthetic: boolean): RankedEntry[] {
  const best: RankedEntry[] = [];
  let least = Number.NEGATIVE_INFINITY;
  forEachMatch(part, (index, score, isSynthetic) => {
    if (score <= least || (isSynthetic && !withSynthetic)) return;
    let place = best.length;
    while (place > 0 && (best[place - 1]?.[1] ?? 0) < score) place -= 1;
    best.splice(place, 0, [index, score]);
    if (best.length > most) best.pop();
    if (best.length === most) least = best.at(-1)?.[1] ?? least;
  });
  return best;
}

function findAutomatic(part: SessionPart): Candidate[] {
  const { session } = part;
  const found: Candidate[] = [];
  forEachMatch(part, (index, score, isSynthetic) => {
    if (isSynthetic) found.push({ id: entryId(session, index), sessionNumber: session.no, score, isSynthetic });
  });
  return found;
}

/** Ascending. */
function idsOf(database: Database, { select, parameters }: IdStatement): Float64Array {
  const row = database.get(`SELECT count(*) AS count, group_concat(id) AS ids FROM (${select})`, ...parameters);
  return numbersIn(String(row?.['ids'] ?? ''), Number(row?.['count']));
}

/** 1 for each id that is also in `markedIds`. Both ascend. */
function marksOf(ids: Float64Array, markedIds: Float64Array): Uint8Array {
  const marks = new Uint8Array(ids.length);
  let next = 0;
  for (let place = 0; place < ids.length; place += 1) {
    const id = ids[place] ?? 0;
    while ((markedIds[next] ?? Number.POSITIVE_INFINITY) < id) next += 1;
    if (markedIds[next] === id) marks[place] = 1;
  }
  return marks;
}

/** Place of the first id that is not below `id`, from `start` on. */
function placeOf(ids: Float64Array, id: number, start: number): number {
  let [low, high] = [start, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
