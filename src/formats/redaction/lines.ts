import type { Stretch } from './rules/rule.ts';

/** What tools put before a line: its number, marks of a diff, a quote or a comment, blanks. */
const prefix = String.raw`[ \t]{0,20}(?:(?<number>(?:[\w./-]{1,80}[:-])?\d{1,7}(?:\t|\\{1,3}t|[:|│→] ?|[ -] ?))|(?<mark>[-+>#│|*]|\/\/)[ \t]{0,4})?`;
/** A line end, escaped or not, and what stands before the next line. */
const lineBreak = new RegExp(String.raw`(?<end>(?:\\{1,3}r|\r)?(?:\\{1,3}n|\n)[ \t]{0,20})(?:${prefix})`, 'g');
const firstPrefix = new RegExp(`^(?:${prefix})`);
const beside = /[\w+/=.~-]/;
/** How wide programs and mails wrap; what stands before the secret counts. */
const [narrowest, widest] = [16, 140];

/** A text whose wrapped lines are joined again. */
export interface Joined {
  readonly text: string;
  /** Where in the original a stretch of `text` is. */
  original(stretch: Stretch): Stretch;
}

/**
 * The text with line ends left out that wrapping put there: lines of one width, no blank at the break, the last line no
 * longer. `null` where there is none.
 */
export function joinedLines(text: string): Joined | null {
  const breaks = breaksOf(text);
  const cuts: Stretch[] = [];
  for (const [at, { start, end }] of breaks.entries()) {
    const length = start - (breaks[at - 1]?.end ?? 0);
    const next = (breaks[at + 1]?.start ?? text.length) - end;
    if (length < narrowest || length > widest || next > length + 4 || next === 0) continue;
    if (beside.test(text.charAt(start - 1)) && beside.test(text.charAt(end))) cuts.push({ start, end });
  }
  return cuts.length === 0 ? null : new Cut(text, cuts);
}

/** Every line end with what stands before the next line, where the lines around have the like. */
function breaksOf(text: string): Stretch[] {
  const found = Array.from(text.matchAll(lineBreak), ({ index, 0: all, groups }) => ({
    start: index,
    plain: index + (groups?.['end']?.length ?? 0),
    end: index + all.length,
    kind: kindOf(groups),
  }));
  const first = kindOf(firstPrefix.exec(text)?.groups);
  return found.map(({ start, plain, end, kind }, at) => {
    const isCommon = kind === (found[at - 1]?.kind ?? first) || kind === found[at + 1]?.kind;
    return { start, end: isCommon ? end : plain };
  });
}

function kindOf(groups: Readonly<Record<string, string | undefined>> | undefined): string {
  return groups?.['number'] === undefined ? (groups?.['mark'] ?? '') : 'number';
}

class Cut implements Joined {
  readonly text: string;
  /** Where each cut is in the joined text, and how much was left out up to there. */
  readonly #places: readonly (readonly [at: number, shift: number])[];

  constructor(whole: string, cuts: readonly Stretch[]) {
    const parts: string[] = [];
    const places: [number, number][] = [];
    let [from, shift] = [0, 0];
    for (const { start, end } of cuts) {
      parts.push(whole.slice(from, start));
      const at = start - shift;
      shift += end - start;
      places.push([at, shift]);
      from = end;
    }
    parts.push(whole.slice(from));
    this.text = parts.join('');
    this.#places = places;
  }

  original({ start, end }: Stretch): Stretch {
    return { start: start + this.#shift(start), end: end + this.#shift(end - 1) };
  }

  /** Left out up to the character there. */
  #shift(at: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.[0] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#places[low - 1]?.[1] ?? 0;
  }
}
