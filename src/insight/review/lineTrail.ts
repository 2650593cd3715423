import { unchangedLines } from '../files/lineDiff.ts';

/** Entry of the step that made a change; `unreported` if no tool call reports it. */
export type Author = number;
export const unreported: Author = -1;

interface TrailLine {
  readonly text: string;
  /** Index of the line in the first text; `null` if it was written later. */
  readonly base: number | null;
  /** Authors of the line and of the lines that it replaced, newest last. */
  readonly by: readonly Author[];
  /** Lines of the first text that it replaced, directly or not; the same list for all lines that replaced them together. */
  readonly over: readonly number[];
}

/** A line of the last text, with where it comes from. */
export type TracedLine = Omit<TrailLine, 'text'>;

/** One file through its changes: each line has its authors, and each line of the first text those who removed it. */
export class LineTrail {
  readonly #baseLines: string[];
  #lines: TrailLine[];
  readonly #removersByLine: (readonly Author[])[];

  constructor(base: readonly string[]) {
    this.#baseLines = [...base];
    this.#lines = base.map((text, at) => ({ text, base: at, by: [], over: [] }));
    this.#removersByLine = base.map(() => []);
  }

  get base(): readonly string[] {
    return this.#baseLines;
  }

  get texts(): readonly string[] {
    return this.#lines.map(({ text }) => text);
  }

  get lines(): readonly TracedLine[] {
    return this.#lines;
  }

  /** Authors who removed a line of the first text, newest last; empty if it still exists. */
  authorsOfRemoval(base: number): readonly Author[] {
    return this.#removersByLine[base] ?? [];
  }

  /** Notes that the first text ended with a line break. */
  endLine(): void {
    const base = this.#baseLines.push('') - 1;
    this.#removersByLine.push([]);
    this.#lines.push({ text: '', base, by: [], over: [] });
  }

  /** Replaces `count` lines at `at` with `texts`; unchanged lines keep their history. */
  replace(at: number, count: number, texts: readonly string[], author: Author): void {
    const old = this.#lines.slice(at, at + count);
    const saved = unchangedLines(
      old.map(({ text }) => text),
      texts,
    );
    const next: TrailLine[] = [];
    let [done, from] = [0, 0];
    for (let place = 0; place <= texts.length; place += 1) {
      const same = place === texts.length ? old.length : (saved[place] ?? -1);
      if (same === -1) continue;
      this.#rewrite(next, old.slice(done, same), texts.slice(from, place), author);
      const line = old[same];
      if (line !== undefined) next.push(line);
      [done, from] = [same + 1, place + 1];
    }
    this.#lines = [...this.#lines.slice(0, at), ...next, ...this.#lines.slice(at + count)];
  }

  #rewrite(next: TrailLine[], old: readonly TrailLine[], texts: readonly string[], author: Author): void {
    const paired = old.length === texts.length;
    const all = paired ? undefined : successorOf(old, author);
    for (const [at, text] of texts.entries())
      next.push({ text, base: null, ...(all ?? successorOf(old.slice(at, at + 1), author)) });
    const authors = new Map<readonly number[], (readonly Author[])[]>();
    for (const line of old) {
      const covered = baseLinesOf(line);
      const known = authors.get(covered);
      if (known === undefined) authors.set(covered, [line.by]);
      else known.push(line.by);
    }
    for (const [covered, by] of authors) {
      const before = distinctValues(by).flat();
      for (const base of covered)
        this.#removersByLine[base] = distinctValues([...(this.#removersByLine[base] ?? []), ...before, author]);
    }
  }
}

/**
 * Authors and covered lines of a line that replaces these. Lines that replace the same ones share their lists, and each list is
 * read once, because a file of 10,000 lines can be rewritten as a whole.
 */
function successorOf(replaced: readonly TrailLine[], author: Author): Pick<TrailLine, 'by' | 'over'> {
  const by = distinctValues([...distinctValues(replaced.map((line) => line.by)).flat(), author]);
  const covered = distinctValues(replaced.map(baseLinesOf));
  return { by, over: covered.length === 1 ? (covered[0] ?? []) : distinctValues(covered.flat()) };
}

function baseLinesOf({ base, over }: TrailLine): readonly number[] {
  return base === null ? over : [base];
}

/** Distinct values, ordered by their last occurrence. */
export function distinctValues<T>(all: readonly T[]): T[] {
  return [...new Set([...all].reverse())].reverse();
}
