import type { Query } from '../../insight/search/query.ts';
import { wordsOfQuery } from '../../insight/search/tokens.ts';
import { type Field, fieldTerm, type Segment } from './segment.ts';

/** Terms that one word may stand for in a segment; more would say nothing about what was meant. */
const mostTerms = 2000;
/** BM25's own. */
const saturation = 1.2;
const lengthShare = 0.75;
/** A word that only begins with what was typed counts this much of the word itself. */
const prefixWeight = 0.6;

/** One thing that an entry has to hold. `weight` 0 for what only leaves entries out. */
interface Clause {
  readonly ranked: boolean;
  terms(segment: Segment): readonly { readonly at: number; readonly weight: number }[];
}

export interface Plan {
  readonly clauses: readonly Clause[];
  /** Entries have to be read to know whether they answer: words that stand together, or signs that are no words. */
  readonly inexact: boolean;
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
    if (values.length === 0) return;
    clauses.push({
      ranked: false,
      terms: (segment) =>
        values
          .map((value) => segment.exactly(fieldTerm(field, value)))
          .flatMap((at) => (at < 0 ? [] : [{ at, weight: 1 }])),
    });
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

/** In how many entries each clause is met, at most; `undefined` where a clause is met in none. */
export function counts(plan: Plan, segment: Segment): readonly number[] | undefined {
  const found: number[] = [];
  for (const clause of plan.clauses) {
    const sum = clause.terms(segment).reduce((all, { at }) => all + segment.count(at), 0);
    if (sum === 0) return undefined;
    found.push(sum);
  }
  return found;
}

export interface Corpus {
  readonly entries: number;
  readonly words: number;
  /** Per clause, over all segments. */
  readonly counts: readonly number[];
}

/** Entries of a segment that meet every clause, by index, with how well (BM25). */
export function evaluate(plan: Plan, segment: Segment, corpus: Corpus): Map<number, number> {
  const average = Math.max(1, corpus.words / Math.max(1, corpus.entries));
  let found: Map<number, number> | undefined;
  plan.clauses.forEach((clause, n) => {
    const before = found;
    const times = new Map<number, number>();
    for (const { at, weight } of clause.terms(segment)) {
      segment.each(at, (doc, count) => {
        if (before === undefined || before.has(doc)) times.set(doc, (times.get(doc) ?? 0) + count * weight);
      });
    }
    const rarity = clause.ranked ? idf(corpus, n) : 0;
    const met = new Map<number, number>();
    for (const [doc, count] of times) {
      const length = 1 - lengthShare + lengthShare * (segment.lengthOf(doc) / average);
      met.set(doc, (before?.get(doc) ?? 0) + (rarity * count * (saturation + 1)) / (count + saturation * length));
    }
    found = met;
  });
  return new Map(Array.from(found ?? [], ([doc, score]) => [segment.entryOf(doc), score]));
}

function idf({ entries, counts: all }: Corpus, clause: number): number {
  const count = Math.min(entries, all[clause] ?? 0);
  return Math.log(1 + (entries - count + 0.5) / (count + 0.5));
}
