import type { HistoryLine } from './historyLine.ts';
import { unchangedLines } from './lineDiff.ts';

/** Consecutive lines, some written by a step, whose position in the file is unknown. */
export type Fragment = readonly HistoryLine[];

/** Characters per file; beyond them, the oldest fragments are dropped. */
const maxCharacters = 4 * 1024 * 1024;
/** Letters and digits that a text needs to be recognized at any position. */
const leastToKnow = 6;
/** Share of a fragment's lines that must still exist, in order. */
const leastKept = 0.5;
/** Lines that may have been inserted into a fragment, in addition to its own number of lines. */
const tolerance = 10;

/** Text written at unknown positions of one file. */
export class Fragments {
  #fragments: Fragment[] = [];
  #characters = 0;

  get all(): readonly Fragment[] {
    return this.#fragments;
  }

  add(fragment: Fragment): void {
    if (!fragment.some(({ by }) => by !== null)) return;
    this.#fragments.push(fragment);
    this.#characters += sizeOf(fragment);
    while (this.#characters > maxCharacters && this.#fragments.length > 0)
      this.#characters -= sizeOf(this.#fragments.shift() ?? []);
  }

  /** Each range of lines written by steps, taken from a text whose positions are about to be lost. */
  addWrittenLines(lines: readonly HistoryLine[]): void {
    let stretch: HistoryLine[] = [];
    for (const line of lines) {
      if (line.by !== null && line.text !== null) {
        stretch.push(line);
        continue;
      }
      this.add(stretch);
      stretch = [];
    }
    this.add(stretch);
  }

  /** The complete text of the file is known now: fragments found in it have a position and are removed. */
  place(lines: HistoryLine[]): HistoryLine[] {
    if (this.#fragments.length === 0) return lines;
    const file = new FileText(lines.map(({ text }) => text ?? ''));
    const left: Fragment[] = [];
    for (const fragment of this.#fragments) {
      const places = file.locate(fragment);
      if (places === null) left.push(fragment);
      for (const [at, place] of (places ?? []).entries()) {
        const line = lines[place];
        const by = fragment[at]?.by;
        if (line !== undefined && by !== undefined && by !== null) lines[place] = { ...line, by };
      }
    }
    this.#fragments = left;
    this.#characters = left.reduce((sum, fragment) => sum + sizeOf(fragment), 0);
    return lines;
  }
}

/** A complete file in which fragments are searched. */
export class FileText {
  readonly lines: readonly string[];
  readonly #text: string;
  readonly #lineStarts: readonly number[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
    this.#text = lines.join('\n');
    let start = 0;
    this.#lineStarts = lines.map((line) => {
      const at = start;
      start += line.length + 1;
      return at;
    });
  }

  /**
   * The line here for each line of the fragment, from 0, or -1; `null` if it was not found. `at`: its position when it was
   * written, if known.
   */
  locate(fragment: Fragment, at?: number): Int32Array | null {
    const wanted = fragment.map(({ text }) => text ?? '');
    if (at !== undefined && wanted.every((line, place) => this.lines[at + place] === line)) {
      return this.#lineNumbersFrom(at, wanted.length);
    }
    const text = wanted.join('\n');
    if ((text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < leastToKnow) return null;
    const offset = this.#text.indexOf(text);
    // Ambiguous.
    if (offset !== -1) {
      return this.#text.includes(text, offset + 1)
        ? null
        : this.#lineNumbersFrom(this.#findLineAt(offset), wanted.length);
    }
    return keepAdjacentLines(wanted, unchangedLines(this.lines, wanted));
  }

  #lineNumbersFrom(line: number, count: number): Int32Array {
    return Int32Array.from({ length: count }, (_, at) => line + at);
  }

  #findLineAt(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Lines far from most others are different lines with the same text. */
function keepAdjacentLines(wanted: readonly string[], saved: Int32Array): Int32Array | null {
  const telling = wanted.flatMap((line, place) => (/[\p{L}\p{N}]/u.test(line) ? [place] : []));
  const shifts = telling.flatMap((place) => ((saved[place] ?? -1) === -1 ? [] : [(saved[place] ?? 0) - place]));
  const middle = shifts.sort((a, b) => a - b)[shifts.length >> 1] ?? 0;
  const near = saved.map((line, place) =>
    line === -1 || Math.abs(line - place - middle) > wanted.length + tolerance ? -1 : line,
  );
  const found = telling.filter((place) => near[place] !== -1).length;
  return found > 1 && found >= telling.length * leastKept ? near : null;
}

function sizeOf(fragment: Fragment): number {
  return fragment.reduce((sum, { text }) => sum + (text?.length ?? 0) + 1, 0);
}
