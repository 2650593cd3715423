import type { HistoryLine } from './historyLine.ts';
import { keptLines } from './lineDiff.ts';

/** Lines that stood together when a step wrote some of them; where in the file, the record does not say. */
export type Fragment = readonly HistoryLine[];

/** Characters kept of one file; beyond them the oldest fragments are let go. */
const mostCharacters = 4 * 1024 * 1024;
/** Letters and digits that a text must have to be known again wherever it stands. */
const leastToKnow = 6;
/** Share of a fragment's lines that must still stand, in order, to say that it is the same. */
const leastKept = 0.5;
/** Lines that may have come between those of a fragment, besides its own number of them. */
const tolerance = 10;

/** What was written at unknown places of one file. */
export class Fragments {
  #all: Fragment[] = [];
  #characters = 0;

  get all(): readonly Fragment[] {
    return this.#all;
  }

  add(fragment: Fragment): void {
    if (!fragment.some(({ by }) => by !== null)) return;
    this.#all.push(fragment);
    this.#characters += sizeOf(fragment);
    while (this.#characters > mostCharacters && this.#all.length > 0)
      this.#characters -= sizeOf(this.#all.shift() ?? []);
  }

  /** Each stretch of lines that steps wrote, of a text of which the place of every line is about to be lost. */
  addWritten(lines: readonly HistoryLine[]): void {
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

  /** The whole text of the file is known now: what is found in it has its place, and is no fragment any more. */
  place(lines: HistoryLine[]): HistoryLine[] {
    if (this.#all.length === 0) return lines;
    const file = new FileText(lines.map(({ text }) => text ?? ''));
    const left: Fragment[] = [];
    for (const fragment of this.#all) {
      const places = file.locate(fragment);
      if (places === null) left.push(fragment);
      for (const [at, place] of (places ?? []).entries()) {
        const line = lines[place];
        const by = fragment[at]?.by;
        if (line !== undefined && by !== undefined && by !== null) lines[place] = { ...line, by };
      }
    }
    this.#all = left;
    this.#characters = left.reduce((sum, fragment) => sum + sizeOf(fragment), 0);
    return lines;
  }
}

/** A whole file, in which fragments are looked for. */
export class FileText {
  readonly lines: readonly string[];
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
    this.#text = lines.join('\n');
    let start = 0;
    this.#starts = lines.map((line) => {
      const at = start;
      start += line.length + 1;
      return at;
    });
  }

  /**
   * For each line of the fragment its line here, counted from 0, or -1; `null` where the fragment is not to be found. `at`:
   * where it stood when it was written, if that is known.
   */
  locate(fragment: Fragment, at?: number): Int32Array | null {
    const wanted = fragment.map(({ text }) => text ?? '');
    if (at !== undefined && wanted.every((line, place) => this.lines[at + place] === line)) {
      return this.#from(at, wanted.length);
    }
    const text = wanted.join('\n');
    if ((text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < leastToKnow) return null;
    const offset = this.#text.indexOf(text);
    // Which of several it is, no one knows.
    if (offset !== -1) {
      return this.#text.includes(text, offset + 1) ? null : this.#from(this.#lineAt(offset), wanted.length);
    }
    return together(wanted, keptLines(this.lines, wanted));
  }

  #from(line: number, count: number): Int32Array {
    return Int32Array.from({ length: count }, (_, at) => line + at);
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Lines that are far from where most of them stand are others that read the same. */
function together(wanted: readonly string[], saved: Int32Array): Int32Array | null {
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
