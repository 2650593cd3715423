import type { TextSpan } from './rules/rule.ts';

/** What tools put before a line: number, diff, quote or comment marks, blanks. */
const prefix = String.raw`[ \t]{0,20}(?:(?<number>(?:[\w./-]{1,80}[:-])?\d{1,7}(?:\t|\\{1,3}t|[:|│→] ?|[ -] ?))|(?<mark>[-+>#│|*]|\/\/)[ \t]{0,4})?`;
/** A line end, possibly escaped, and the prefix of the next line. */
const lineBreak = new RegExp(String.raw`(?<end>(?:\\{1,3}r|\r)?(?:\\{1,3}n|\n)[ \t]{0,20})(?:${prefix})`, 'g');
const firstPrefix = new RegExp(`^(?:${prefix})`);
const beside = /[\w+/=.~-]/;
/** Widths at which programs and mails wrap, including text before the secret. */
const [narrowest, widest] = [16, 140];

/** A text with wrapped lines joined. */
export interface JoinedText {
  readonly text: string;
  /** Maps a range of `text` to the original. */
  original(stretch: TextSpan): TextSpan;
}

/**
 * Removes line ends that come from wrapping: equal line widths, no blank at the break, and a last line that is not
 * longer. `null` if there are none.
 */
export function joinWrappedLines(text: string): JoinedText | null {
  const breaks = findLineBreaks(text);
  const cuts: TextSpan[] = [];
  for (const [at, { start, end }] of breaks.entries()) {
    const length = start - (breaks[at - 1]?.end ?? 0);
    const next = (breaks[at + 1]?.start ?? text.length) - end;
    if (length < narrowest || length > widest || next > length + 4 || next === 0) continue;
    if (beside.test(text.charAt(start - 1)) && beside.test(text.charAt(end))) cuts.push({ start, end });
  }
  return cuts.length === 0 ? null : new TextWithoutBreaks(text, cuts);
}

/** Line ends with the prefix of the next line, if neighbouring lines have a similar one. */
function findLineBreaks(text: string): TextSpan[] {
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

class TextWithoutBreaks implements JoinedText {
  readonly text: string;
  /** Positions of removals in the joined text, with the length removed so far. */
  readonly #removals: readonly (readonly [at: number, shift: number])[];

  constructor(whole: string, cuts: readonly TextSpan[]) {
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
    this.#removals = places;
  }

  original({ start, end }: TextSpan): TextSpan {
    return { start: start + this.#shift(start), end: end + this.#shift(end - 1) };
  }

  /** Length removed up to this position. */
  #shift(at: number): number {
    let [low, high] = [0, this.#removals.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#removals[middle]?.[0] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#removals[low - 1]?.[1] ?? 0;
  }
}
