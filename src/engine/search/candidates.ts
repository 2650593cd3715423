import type { Query } from '../../insight/search/query.ts';
import { wordsIn, wordsOfQuery } from '../../insight/search/tokens.ts';
import { queryKinds, queryStates, type QueryKind } from '../../model/transcript/query.ts';
import type { Database } from '../catalogue/database.ts';
import type { SimilarRequest } from './types.ts';
import { idsPerBlock, type SessionBlocks } from '../catalogue/schema.ts';

/** Parameter k1 of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;
/** Weight of a word that only starts with the search term, relative to an exact match. */
const prefixWeight = 0.6;
/** In queries of several words, shorter words must match exactly: too many words start with them. */
const shortestBeginning = 4;

/** An entry that may match. */
export interface Candidate {
  readonly id: number;
  /** The session's number in the catalogue. */
  readonly no: number;
  readonly score: number;
  readonly isSynthetic: boolean;
}

/** Number of entries and words, for BM25. */
export interface Corpus {
  readonly entries: number;
  readonly words: number;
}

type Parameter = string | number;

/** Whether entries must be read to decide on a match: for phrases, or characters outside of words. */
export function isInexact({ texts }: Query): boolean {
  return texts.some((text) => {
    const words = wordsOfQuery(text);
    return words.length !== 1 || words[0] !== text;
  });
}

/** Matches in one session. Its automatic messages are counted separately. */
export interface SessionMatches {
  /** The session's number in the catalogue. */
  readonly no: number;
  readonly count: number;
  /** Highest score; `null` if `count` is 0. */
  readonly best: number | null;
  readonly synthetic: number;
  readonly bestSynthetic: number | null;
}

/**
 * Sessions with entries that contain every word of the query (the last word of each text as a prefix) and fit its
 * operators. SQLite groups the entries: as objects, the matches of a frequent word would take several times as long.
 */
export function matchesBySession(database: Database, query: Query, corpus: Corpus): SessionMatches[] {
  const selection = selectionOf(query, corpus);
  if (selection === undefined) return [];
  const { score, from, where, parameters } = selection;
  const sql = `SELECT no, sum(1 - synthetic) AS count, max(CASE synthetic WHEN 0 THEN score END) AS best,
      sum(synthetic) AS synthetic, max(CASE synthetic WHEN 1 THEN score END) AS best_synthetic
    FROM (SELECT entries.session AS no, entries.synthetic AS synthetic, ${score} AS score ${from} WHERE ${where})
    GROUP BY no`;
  const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));
  return database.all(sql, ...parameters).map((row) => ({
    no: Number(row['no']),
    count: Number(row['count']),
    best: numberOrNull(row['best']),
    synthetic: Number(row['synthetic']),
    bestSynthetic: numberOrNull(row['best_synthetic']),
  }));
}

/** The matching entries of these sessions. */
export function candidatesIn(
  database: Database,
  query: Query,
  corpus: Corpus,
  sessions: readonly SessionBlocks[],
): Candidate[] {
  const selection = selectionOf(query, corpus);
  if (selection === undefined || sessions.length === 0) return [];
  const { score, from, where, parameters, id } = selection;
  const sql = `SELECT entries.id AS id, entries.session AS no, entries.synthetic AS synthetic, ${score} AS score ${from}
    WHERE ${where} AND ${id} / ${idsPerBlock} IN (SELECT value FROM json_each(?))`;
  const blocks = sessions.flatMap(({ block, blocks }) => Array.from({ length: blocks }, (_, at) => block + at));
  return database.all(sql, ...parameters, JSON.stringify(blocks)).map((row) => candidate(row, Number(row['score'])));
}

/** Parts of a statement that selects matching entries. The parameters are those of all parts in this order. */
interface Selection {
  readonly score: string;
  readonly from: string;
  readonly where: string;
  readonly parameters: readonly Parameter[];
  /** The entry's id, known before the entry is read. */
  readonly id: string;
}

/** `undefined` for a query that selects nothing. */
function selectionOf(query: Query, corpus: Corpus): Selection | undefined {
  const words = query.texts.map((text) => wordsOfQuery(text)).filter((terms) => terms.length > 0);
  const { conditions, parameters } = filters(query);
  if (words.length === 0) {
    if (conditions.length === 0) return undefined;
    return { score: '0', from: 'FROM entries', where: conditions.join(' AND '), parameters, id: 'entries.id' };
  }
  const all = words.flat();
  const exact = all.map((word) => term(word, false)).join(' AND ');
  const match = words.flatMap((phrase) => phrase.map((word, at) => term(word, at === phrase.length - 1))).join(' AND ');
  // The formula of `frequency` for one occurrence.
  const perWord = (saturation * lengthShare) / averageLength(corpus);
  const [most, least] = [all.length * (saturation + 1), 1 + saturation * (1 - lengthShare)];
  const hasAll = 'entries.id IN (SELECT rowid FROM word_index WHERE word_index MATCH ?)';
  return {
    score: `CASE WHEN ${hasAll} THEN 1.0 ELSE ${prefixWeight} END * ? / (? + ? * entries.words)`,
    from: 'FROM word_index JOIN entries ON entries.id = word_index.rowid',
    where: ['word_index MATCH ?', ...conditions].join(' AND '),
    parameters: [exact, most, least, perWord, match, ...parameters],
    id: 'word_index.rowid',
  };
}

/** Entries of these kinds that contain some of the words, weighted by rarity. */
export function candidatesLike(
  database: Database,
  { words, kinds, atLeast }: Pick<SimilarRequest, 'words' | 'kinds' | 'atLeast'>,
  corpus: Corpus,
): { readonly found: Candidate[]; readonly rarity: ReadonlyMap<string, number> } {
  const found = new Map<number, { candidate: Candidate; words: number }>();
  const rarity = new Map<string, number>();
  const marks = kinds.map(() => '?').join(', ');
  const sql = `SELECT entries.id AS id, entries.session AS no, entries.synthetic AS synthetic, entries.words AS length FROM word_index
    JOIN entries ON entries.id = word_index.rowid WHERE word_index MATCH ? AND entries.kind IN (${marks})`;
  for (const word of words) {
    const rows = database.all(sql, term(word, isBeginning(word)), ...kinds.map(kindNumber));
    const weight = Math.log(1 + (corpus.entries - rows.length + 0.5) / (rows.length + 0.5));
    rarity.set(word, weight);
    for (const row of rows) {
      const id = Number(row['id']);
      const before = found.get(id);
      const score = (before?.candidate.score ?? 0) + weight * frequency(1, Number(row['length']), corpus);
      found.set(id, { candidate: candidate(row, score), words: (before?.words ?? 0) + 1 });
    }
  }
  return { found: [...found.values()].flatMap((match) => (match.words >= atLeast ? [match.candidate] : [])), rarity };
}

/** BM25 score of a text. */
export function scoreOf(text: string, rarity: ReadonlyMap<string, number>, corpus: Corpus): number {
  const spokenWords = wordsIn(text);
  let score = 0;
  for (const [word, weight] of rarity) {
    const times = spokenWords.filter(
      (spoken) => spoken === word || (isBeginning(word) && spoken.startsWith(word)),
    ).length;
    if (times > 0) score += weight * frequency(times, spokenWords.length, corpus);
  }
  return score;
}

function candidate(row: Readonly<Record<string, unknown>>, score: number): Candidate {
  return { id: Number(row['id']), no: Number(row['no']), score, isSynthetic: row['synthetic'] === 1 };
}

/** Term frequency part of BM25. `times`: occurrences; `length`: number of words in the text. */
function frequency(times: number, length: number, corpus: Corpus): number {
  const relative = length / averageLength(corpus);
  return (times * (saturation + 1)) / (times + saturation * (1 - lengthShare + lengthShare * relative));
}

function averageLength({ entries, words }: Corpus): number {
  return Math.max(1, words / Math.max(1, entries));
}

function isBeginning(word: string): boolean {
  return word.length >= shortestBeginning;
}

/** Words consist of letters, digits and `_`, so quoting is enough. */
function term(word: string, isBeginning: boolean): string {
  return `"${word}"${isBeginning ? ' *' : ''}`;
}

function filters({ kinds, states, tools, files }: Query): {
  readonly conditions: readonly string[];
  readonly parameters: readonly Parameter[];
} {
  const conditions: string[] = [];
  const parameters: Parameter[] = [];
  const any = (choices: readonly string[], values: readonly Parameter[]): void => {
    if (choices.length === 0) return;
    conditions.push(`(${choices.join(' OR ')})`);
    parameters.push(...values);
  };
  const holds = (table: 'tools' | 'files'): string => `SELECT no FROM ${table} WHERE instr(small, ?) > 0`;
  any(
    kinds.map((kind) => (kind === 'tool' ? 'entries.kind >= ?' : 'entries.kind = ?')),
    kinds.map(kindNumber),
  );
  any(
    states.map(() => 'entries.state = ?'),
    states.map((state) => queryStates.indexOf(state)),
  );
  any(
    tools.map(() => `entries.tool IN (${holds('tools')})`),
    tools,
  );
  any(
    files.map(() => `entries.id IN (SELECT entry FROM touches WHERE file IN (${holds('files')}))`),
    files,
  );
  return { conditions, parameters };
}

function kindNumber(kind: QueryKind): number {
  return queryKinds.indexOf(kind);
}
