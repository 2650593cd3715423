const numbered = /^ {0,10}(\d{1,7})(→|\t|\| ?)(.*)$/;
/** What agents write in place of lines that they leave out. */
const omission =
  /^[^\p{L}\d\n]{0,12}(?:\d{1,9} |[^\n]{0,24}\d{1,9} )?(?:more )?(?:lines?|chars?|characters|tokens|bytes|output)\b[^\n]{0,16}\b(?:truncated|omitted|hidden|elided|skipped)\b|^[^\p{L}\d\n]{0,12}(?:truncated|omitted|skipped) \d{1,9} (?:lines?|chars?|characters)\b/imu;

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
  const [, number, mark] = numbered.exec(all[0] ?? '') ?? [];
  const start = Number(number ?? NaN);
  // Tables have columns of numbers, too.
  const isData = mark?.startsWith('|') === true && start !== startLine;
  if (Number.isNaN(start) || isData) return withoutEnd(startLine, all);
  const lines: string[] = [];
  for (const line of all) {
    const found = numbered.exec(line);
    if (found?.[3] === undefined || Number(found[1]) !== start + lines.length) break;
    lines.push(found[3]);
  }
  return withoutEnd(start, lines);
}

/** The text up to where lines of it were left out; `cut`: whether some were. */
export function beforeOmission(text: string): { readonly text: string; readonly cut: boolean } {
  const at = text.search(omission);
  return at === -1 ? { text, cut: false } : { text: text.slice(0, at), cut: true };
}

/** As they are, where no one numbers them. */
export function plainLines(text: string, startLine: number): ResultLines {
  return text === '' ? { first: startLine, lines: [], ended: false } : withoutEnd(startLine, text.split('\n'));
}

/** An empty last line is what follows the final line break. */
function withoutEnd(first: number, lines: readonly string[]): ResultLines {
  const ended = lines.length > 1 && lines.at(-1) === '';
  return { first, lines: ended ? lines.slice(0, -1) : lines, ended };
}
