import type { Query } from '../../insight/search/query.ts';
import { wordsOfQuery } from '../../insight/search/tokens.ts';
import type { QueryKind } from '../../model/query.ts';
import { type Field, fieldTerm, type Segment, syntheticTerm } from './segment.ts';

/** Terms that one word may stand for in a segment; more would say nothing about what was meant. */
const mostTerms = 2000;
/** BM25's own. */
const saturation = 1.2;
const lengthShare = 0.75;
/** A word that only begins with what was typed counts this much of the word itself. */
const prefixWeight = 0.6;
/** Of several words, one shorter than this stands for itself alone: too many others begin with it. */
const shortestBeginning = 4;

/** One thing that an entry has to hold. `weight` 0 for what only leaves entries out. */
interface Clause {
  readonly ranked: boolean;
  terms(segment: Segment): readonly { readonly at: number; readonly weight: number }[];
}

export interface Plan {
  readonly clauses: readonly Clause[];
  /** Entries have to be read to know whether they answer: words that stand together, or signs that are no words. */
  readonly inexact: boolean;
  /** So many of the ranked clauses are enough; absent: every one has to be met. */
  readonly atLeast?: number;
}

export function planOf(query: Query): Plan {
  const clauses: Clause[] = [];
  let inexact = false;
  for (const text of query.texts) {
    const words = wordsOfQuery(text);
    if (words.length !== 1 || words[0] !== text) inexact = true;
    words.forEach((word, at) => clauses.push(wordClause(word, at === words.length - 1)));
  }
  const isExactly = (field: Field, values: readonly string[]): void => {
    if (values.length > 0) clauses.push(fieldClause(field, values));
  };
  const holds = (field: Field, values: readonly string[]): void => {
    if (values.length === 0) return;
    clauses.push({
      ranked: false,
      terms: (segment) => {
        const [from, to] = segment.beginningWith(fieldTerm(field, ''));
        const skip = fieldTerm(field, '').length;
        const places = Array.from({ length: to - from }, (_, n) => from + n);
        return places
          .filter((at) => values.some((value) => segment.term(at).slice(skip).includes(value)))
          .map((at) => ({ at, weight: 1 }));
      },
    });
  };
  isExactly('kind', query.kinds);
  isExactly('state', query.states);
  holds('tool', query.tools);
  holds('file', query.files);
  return { clauses, inexact };
}

/** Entries of these kinds that hold some of the words, ranked by which and how many. */
export function planOfWords(words: readonly string[], kinds: readonly QueryKind[], atLeast: number): Plan {
  const clauses = words.map((word) => wordClause(word, word.length >= shortestBeginning));
  return { clauses: [fieldClause('kind', kinds), ...clauses], inexact: false, atLeast };
}

function fieldClause(field: Field, values: readonly string[]): Clause {
  return {
    ranked: false,
    terms: (segment) =>
      values
        .map((value) => segment.exactly(fieldTerm(field, value)))
        .flatMap((at) => (at < 0 ? [] : [{ at, weight: 1 }])),
  };
}

function wordClause(word: string, unfinished: boolean): Clause {
  return {
    ranked: true,
    terms: (segment) => {
      const exact = segment.exactly(word);
      if (!unfinished) return exact < 0 ? [] : [{ at: exact, weight: 1 }];
      const [from, to] = segment.beginningWith(word);
      const length = Math.min(to - from, mostTerms);
      return Array.from({ length }, (_, n) => ({ at: from + n, weight: from + n === exact ? 1 : prefixWeight }));
    },
  };
}

/** In how many entries each clause is met, at most; `undefined` where no entry can meet the plan. */
export function counts({ clauses, atLeast }: Plan, segment: Segment): readonly number[] | undefined {
  const found: number[] = [];
  let met = 0;
  for (const clause of clauses) {
    const sum = clause.terms(segment).reduce((all, { at }) => all + segment.count(at), 0);
    if (sum === 0 && (atLeast === undefined || !clause.ranked)) return undefined;
    if (sum > 0 && clause.ranked) met += 1;
    found.push(sum);
  }
  return met >= (atLeast ?? 0) ? found : undefined;
}

export interface Corpus {
  readonly entries: number;
  readonly words: number;
  /** Per clause, over all segments. */
  readonly counts: readonly number[];
}

/** Entries of a segment that meet the plan, by index, with how well (BM25). */
export function evaluate(plan: Plan, segment: Segment, corpus: Corpus): Map<number, number> {
  const { clauses, atLeast } = plan;
  let found: Map<number, Met> | undefined;
  clauses.forEach((clause, n) => {
    const before = found;
    // Clauses that are ranked come after those that are not, where some of them are enough.
    const optional = atLeast !== undefined && clause.ranked;
    const met = optional && before !== undefined ? before : new Map<number, Met>();
    for (const [doc, score] of scores(clause, n, { segment, corpus, among: before })) {
      const { score: sum = 0, words = 0 } = before?.get(doc) ?? {};
      met.set(doc, { score: sum + score, words: words + (clause.ranked ? 1 : 0) });
    }
    found = met;
  });
  const enough = [...(found ?? [])].filter(([, { words }]) => words >= (atLeast ?? 0));
  return new Map(enough.map(([doc, { score }]) => [segment.entryOf(doc), score]));
}

/** Entries of a segment that no person wrote, by index. */
export function syntheticIn(segment: Segment): ReadonlySet<number> {
  const found = new Set<number>();
  const at = segment.exactly(syntheticTerm);
  if (at >= 0) segment.each(at, (doc) => found.add(segment.entryOf(doc)));
  return found;
}

interface Met {
  readonly score: number;
  /** Ranked clauses that are met. */
  readonly words: number;
}

interface Where {
  readonly segment: Segment;
  readonly corpus: Corpus;
  /** Absent: all entries. */
  readonly among: ReadonlyMap<number, unknown> | undefined;
}

/** What a clause adds, by the place of the entry in its segment. */
function* scores(clause: Clause, n: number, { segment, corpus, among }: Where): Generator<[number, number]> {
  const average = Math.max(1, corpus.words / Math.max(1, corpus.entries));
  const times = new Map<number, number>();
  for (const { at, weight } of clause.terms(segment)) {
    segment.each(at, (doc, count) => {
      if (among?.has(doc) !== false) times.set(doc, (times.get(doc) ?? 0) + count * weight);
    });
  }
  const rarity = clause.ranked ? idf(corpus, n) : 0;
  for (const [doc, count] of times) {
    const length = 1 - lengthShare + lengthShare * (segment.lengthOf(doc) / average);
    yield [doc, (rarity * count * (saturation + 1)) / (count + saturation * length)];
  }
}

function idf({ entries, counts: all }: Corpus, clause: number): number {
  const count = Math.min(entries, all[clause] ?? 0);
  return Math.log(1 + (entries - count + 0.5) / (count + 0.5));
}
