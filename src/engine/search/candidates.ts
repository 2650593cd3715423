import type { Query } from '../../insight/search/query.ts';
import { wordsIn, wordsOfQuery } from '../../insight/search/tokens.ts';
import { queryKinds, queryStates, type QueryKind } from '../../model/transcript/query.ts';
import type { Database } from '../catalogue/database.ts';
import type { SimilarRequest } from './types.ts';
import { entriesPerSession } from '../catalogue/schema.ts';

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

/** Entries that contain every word of the query (the last word of each text as a prefix) and fit its operators. */
export function candidates(database: Database, query: Query, corpus: Corpus): Candidate[] {
  const words = query.texts.map((text) => wordsOfQuery(text)).filter((each) => each.length > 0);
  const { conditions, parameters } = filters(query);
  if (words.length === 0) {
    if (conditions.length === 0) return [];
    const sql = `SELECT id, synthetic FROM entries WHERE ${conditions.join(' AND ')}`;
    return database.all(sql, ...parameters).map(({ id, synthetic }) => candidate(id, synthetic, 0));
  }
  const match = words
    .map((each) => each.map((word, at) => term(word, at === each.length - 1)).join(' AND '))
    .join(' AND ');
  const exact = words
    .flat()
    .map((word) => term(word, false))
    .join(' AND ');
  const whole = new Set(
    database.all('SELECT rowid FROM word_index WHERE word_index MATCH ?', exact).map(({ rowid }) => rowid),
  );
  const sql = `SELECT entries.id, entries.synthetic, entries.words AS length FROM word_index
    JOIN entries ON entries.id = word_index.rowid WHERE word_index MATCH ?${conditions.map((each) => ` AND ${each}`).join('')}`;
  return database.all(sql, match, ...parameters).map(({ id, synthetic, length }) => {
    const weight = whole.has(id ?? null) ? 1 : prefixWeight;
    return candidate(id, synthetic, weight * words.flat().length * frequency(1, Number(length), corpus));
  });
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
  const sql = `SELECT entries.id, entries.synthetic, entries.words AS length FROM word_index
    JOIN entries ON entries.id = word_index.rowid WHERE word_index MATCH ? AND entries.kind IN (${marks})`;
  for (const word of words) {
    const rows = database.all(sql, term(word, isBeginning(word)), ...kinds.map(kindNumber));
    const weight = Math.log(1 + (corpus.entries - rows.length + 0.5) / (rows.length + 0.5));
    rarity.set(word, weight);
    for (const { id, synthetic, length } of rows) {
      const before = found.get(Number(id));
      const score = (before?.candidate.score ?? 0) + weight * frequency(1, Number(length), corpus);
      found.set(Number(id), { candidate: candidate(id, synthetic, score), words: (before?.words ?? 0) + 1 });
    }
  }
  return { found: [...found.values()].flatMap((each) => (each.words >= atLeast ? [each.candidate] : [])), rarity };
}

/** BM25 score of a text. */
export function scoreOf(text: string, rarity: ReadonlyMap<string, number>, corpus: Corpus): number {
  const said = wordsIn(text);
  let score = 0;
  for (const [word, weight] of rarity) {
    const times = said.filter((each) => each === word || (isBeginning(word) && each.startsWith(word))).length;
    if (times > 0) score += weight * frequency(times, said.length, corpus);
  }
  return score;
}

export function sessionOf(id: number): number {
  return Math.floor(id / entriesPerSession);
}

export function indexOf(id: number): number {
  return id % entriesPerSession;
}

function candidate(id: unknown, synthetic: unknown, score: number): Candidate {
  return { id: Number(id), score, isSynthetic: synthetic === 1 };
}

/** Term frequency part of BM25. `times`: occurrences; `length`: number of words in the text. */
function frequency(times: number, length: number, { entries, words }: Corpus): number {
  const average = Math.max(1, words / Math.max(1, entries));
  return (times * (saturation + 1)) / (times + saturation * (1 - lengthShare + (lengthShare * length) / average));
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
