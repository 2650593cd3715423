/** Changed lines of the old file: 1-based first line and number of lines. 0 lines: an insertion after that line. */
export type BaseRange = readonly [line: number, count: number];

/** Changed ranges of one file. `next`: hash of the new content, for files with the same content in two results. */
export interface ChangedRanges {
  readonly path: string;
  readonly next: string;
  readonly ranges: readonly BaseRange[];
}

const header = /^diff --git /;
const index = /^index [0-9a-f]+\.\.([0-9a-f]+)/;
const hunk = /^@@ -(\d+)(?:,(\d+))? \+/;

/** Parses the output of `git diff --no-renames --no-prefix --unified=0`. `paths` in the order of the output. */
export function changedRanges(diff: string, paths: readonly string[]): ChangedRanges[] {
  const files: { path: string; next: string; ranges: BaseRange[] }[] = [];
  for (const line of diff.split('\n')) {
    if (header.test(line)) files.push({ path: paths[files.length] ?? '', next: '', ranges: [] });
    const file = files.at(-1);
    if (file === undefined) continue;
    const next = index.exec(line)?.[1];
    // A hunk's lines begin with a mark, so that none of them looks like these.
    if (next !== undefined) file.next = next;
    const found = hunk.exec(line);
    if (found !== null) file.ranges.push([Number(found[1]), found[2] === undefined ? 1 : Number(found[2])]);
  }
  return files;
}

/** Lines of the old file that both changed. Insertions at the same place count as one line. */
export function commonLines(a: readonly BaseRange[], b: readonly BaseRange[]): number {
  let count = 0;
  let at = 0;
  for (const [first, length] of a) {
    while (at < b.length && endOf(b[at]) < first) at += 1;
    for (let other = at; other < b.length; other += 1) {
      const [firstLine, lineCount] = b[other] ?? [0, 0];
      if (firstLine > first + length) break;
      count += overlapLength([first, length], [firstLine, lineCount]);
    }
  }
  return count;
}

const endOf = (range: BaseRange | undefined): number => (range === undefined ? Infinity : range[0] + range[1]);

function overlapLength([a, lengthA]: BaseRange, [b, lengthB]: BaseRange): number {
  if (lengthA === 0 && lengthB === 0) return a === b ? 1 : 0;
  // An insertion inside of changed lines, not at their edges.
  if (lengthA === 0) return a >= b && a < b + lengthB - 1 ? 1 : 0;
  if (lengthB === 0) return b >= a && b < a + lengthA - 1 ? 1 : 0;
  return Math.max(0, Math.min(a + lengthA, b + lengthB) - Math.max(a, b));
}
