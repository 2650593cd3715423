const numbered = /^ {0,10}(\d{1,7})(→|\t|\| ?)(.*)$/;
/** What agents write in place of omitted lines. */
const omission =
  /^[^\p{L}\d\n]{0,12}(?:\d{1,9} |[^\n]{0,24}\d{1,9} )?(?:more )?(?:lines?|chars?|characters|tokens|bytes|output)\b[^\n]{0,16}\b(?:truncated|omitted|hidden|elided|skipped)\b|^[^\p{L}\d\n]{0,12}(?:truncated|omitted|skipped) \d{1,9} (?:lines?|chars?|characters)\b/imu;

export interface ResultLines {
  /** Number of the first line in the file, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
  /** A line break follows the last line. */
  readonly endsWithLineBreak: boolean;
}

/** The lines of a file from a read, without the line numbers of some agents, and without remarks after numbered lines. */
export function linesOfResult(text: string, startLine: number): ResultLines {
  if (text === '') return { first: startLine, lines: [], endsWithLineBreak: false };
  const all = text.split('\n');
  const [, number, mark] = numbered.exec(all[0] ?? '') ?? [];
  const start = Number(number ?? NaN);
  // Tables can have columns of numbers too.
  const isData = mark?.startsWith('|') === true && start !== startLine;
  if (Number.isNaN(start) || isData) return removeEmptyEnd(startLine, all);
  const lines: string[] = [];
  for (const line of all) {
    const found = numbered.exec(line);
    if (found?.[3] === undefined || Number(found[1]) !== start + lines.length) break;
    lines.push(found[3]);
  }
  return removeEmptyEnd(start, lines);
}

/** The text before omitted lines; `cut`: whether there were any. */
export function textBeforeOmission(text: string): { readonly text: string; readonly cut: boolean } {
  const at = text.search(omission);
  return at === -1 ? { text, cut: false } : { text: text.slice(0, at), cut: true };
}

/** Unchanged if they are not numbered. */
export function plainLines(text: string, startLine: number): ResultLines {
  return text === ''
    ? { first: startLine, lines: [], endsWithLineBreak: false }
    : removeEmptyEnd(startLine, text.split('\n'));
}

/** An empty last line only follows the final line break. */
function removeEmptyEnd(first: number, lines: readonly string[]): ResultLines {
  const endsWithLineBreak = lines.length > 1 && lines.at(-1) === '';
  return { first, lines: endsWithLineBreak ? lines.slice(0, -1) : lines, endsWithLineBreak };
}
