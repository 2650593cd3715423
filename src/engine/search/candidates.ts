import type { Query } from '../../insight/search/query.ts';
import { wordsIn, wordsOfQuery } from '../../insight/search/tokens.ts';
import { queryKinds, queryStates, type QueryKind } from '../../model/transcript/query.ts';
import type { Database } from '../catalogue/database.ts';
import type { SimilarRequest } from './types.ts';

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
  readonly sessionNumber: number;
  readonly score: number;
  readonly isSynthetic: boolean;
}

/** Number of entries and words, for BM25. */
export interface Corpus {
  readonly entries: number;
  readonly words: number;
}

type Parameter = string | number;

/** Whether entries must be read to decide on a match: for phrases, or characters outside words. */
export function isInexact({ texts }: Query): boolean {
  return texts.some((text) => {
    const words = wordsOfQuery(text);
    return words.length !== 1 || words[0] !== text;
  });
}

/** A statement that selects ids of entries in ascending order. */
export interface IdStatement {
  readonly select: string;
  readonly parameters: readonly Parameter[];
}

/** Statements for a query. */
export interface Selection {
  readonly all: IdStatement;
  /** Entries that contain each word as a whole; `undefined` if the query has no words. */
  readonly exactStatement: IdStatement | undefined;
  /** Number of words in the query. */
  readonly terms: number;
}

/** `undefined` for a query that selects nothing. */
export function selectionOf(query: Query): Selection | undefined {
  const words = query.texts.map((text) => wordsOfQuery(text)).filter((terms) => terms.length > 0);
  const { conditions, parameters } = filters(query);
  if (words.length === 0) {
    if (conditions.length === 0) return undefined;
    const select = `SELECT id FROM entries WHERE ${conditions.join(' AND ')} ORDER BY id`;
    return { all: { select, parameters }, exactStatement: undefined, terms: 0 };
  }
  const exact = words.flat().map((word) => term(word, false));
  const all = words.flatMap((phrase) => phrase.map((word, at) => term(word, at === phrase.length - 1)));
  const join = conditions.length === 0 ? '' : 'JOIN entries ON entries.id = word_index.rowid';
  const where = ['word_index MATCH ?', ...conditions].join(' AND ');
  const withWords = 'SELECT word_index.rowid AS id FROM word_index';
  return {
    all: {
      select: `${withWords} ${join} WHERE ${where} ORDER BY word_index.rowid`,
      parameters: [all.join(' AND '), ...parameters],
    },
    exactStatement: {
      select: `${withWords} WHERE word_index MATCH ? ORDER BY word_index.rowid`,
      parameters: [exact.join(' AND ')],
    },
    terms: exact.length,
  };
}

/** Scores of entries with each of `terms` words once: the formula of `termFrequency`. */
export class MatchScores {
  readonly #saturatedScore: number;
  readonly #lengthBase = 1 + saturation * (1 - lengthShare);
  readonly #lengthPerWord: number;

  constructor(terms: number, corpus: Corpus) {
    this.#saturatedScore = terms * (saturation + 1);
    this.#lengthPerWord = (saturation * lengthShare) / averageLength(corpus);
  }

  /** `words`: number of words in the entry; `isExact`: it contains the terms as whole words. */
  maxScore(words: number, isExact: boolean): number {
    return ((isExact ? 1 : prefixWeight) * this.#saturatedScore) / (this.#lengthBase + this.#lengthPerWord * words);
  }
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
      const score = (before?.candidate.score ?? 0) + weight * termFrequency(1, Number(row['length']), corpus);
      found.set(id, { candidate: candidate(row, score), words: (before?.words ?? 0) + 1 });
    }
  }
  return { found: [...found.values()].flatMap((match) => (match.words >= atLeast ? [match.candidate] : [])), rarity };
}

/** BM25 score of a text. */
export function scoreOf(text: string, rarity: ReadonlyMap<string, number>, corpus: Corpus): number {
  const textWords = wordsIn(text);
  let score = 0;
  for (const [word, weight] of rarity) {
    const times = textWords.filter(
      (textWord) => textWord === word || (isBeginning(word) && textWord.startsWith(word)),
    ).length;
    if (times > 0) score += weight * termFrequency(times, textWords.length, corpus);
  }
  return score;
}

function candidate(row: Readonly<Record<string, unknown>>, score: number): Candidate {
  return { id: Number(row['id']), sessionNumber: Number(row['no']), score, isSynthetic: row['synthetic'] === 1 };
}

/** Term frequency part of BM25. `times`: occurrences; `length`: number of words in the text. */
function termFrequency(times: number, length: number, corpus: Corpus): number {
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
