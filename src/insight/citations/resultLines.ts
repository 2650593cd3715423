const numbered = /^ {0,10}(\d{1,7})(?:→|\t|\| ?)(.*)$/;

export interface ResultLines {
  /** Which line of the file is the first, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
  /** A line break stands after the last one. */
  readonly ended: boolean;
}

/**
 * The lines of a file as a read gave them, without the numbers that some agents put before each. What an agent adds after
 * numbered lines is left out.
 */
export function linesOfResult(text: string, startLine: number): ResultLines {
  if (text === '') return { first: startLine, lines: [], ended: false };
  const all = text.split('\n');
  const start = Number(numbered.exec(all[0] ?? '')?.[1] ?? NaN);
  if (Number.isNaN(start)) return withoutEnd(startLine, all);
  const lines: string[] = [];
  for (const line of all) {
    const found = numbered.exec(line);
    if (found?.[2] === undefined || Number(found[1]) !== start + lines.length) break;
    lines.push(found[2]);
  }
  return withoutEnd(start, lines);
}

/** An empty last line is what follows the final line break. */
function withoutEnd(first: number, lines: readonly string[]): ResultLines {
  const ended = lines.length > 1 && lines.at(-1) === '';
  return { first, lines: ended ? lines.slice(0, -1) : lines, ended };
}
