/** Lines of a file, 1-based and inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
  /** Author: one key per conversation and model. */
  readonly by: string;
}

/** Starting at line `at`, `by` replaced `removed` lines with `added` ones. `at` counts lines before the change. */
export interface LineChange {
  readonly at: number;
  readonly removed: number;
  readonly added: number;
  readonly by: string;
}

/** Ranges after a change: later ones move, replaced ones are removed, and added lines belong to the author. */
export function applyLineChange(ranges: readonly LineRange[], { at, removed, added, by }: LineChange): LineRange[] {
  const end = at + removed - 1;
  const shift = added - removed;
  const saved = ranges.flatMap((range) => {
    const before = { ...range, end: Math.min(range.end, at - 1) };
    const after = { ...range, start: Math.max(range.start, end + 1) };
    return [
      ...(before.start <= before.end ? [before] : []),
      ...(after.start <= after.end ? [{ ...after, start: after.start + shift, end: after.end + shift }] : []),
    ];
  });
  if (added > 0) saved.push({ start: at, end: at + added - 1, by });
  return mergeRanges(saved);
}

function mergeRanges(ranges: readonly LineRange[]): LineRange[] {
  const sorted = [...ranges].sort((a, b) => a.start - b.start);
  const result: LineRange[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last !== undefined && last.by === range.by && last.end + 1 >= range.start) {
      result[result.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    } else result.push(range);
  }
  return result;
}

const hunkStart = /^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/;

/**
 * Changes of a unified diff in order of application, each relative to the previous ones. `null` if the text has no hunk
 * headers.
 */
export function patchChanges(patch: string, by: string): LineChange[] | null {
  const changes: LineChange[] = [];
  let line: number | null = null;
  let open: { at: number; removed: number; added: number } | null = null;
  const close = (): void => {
    if (open !== null) changes.push({ ...open, by });
    open = null;
  };
  for (const text of patch.split('\n')) {
    const hunk = hunkStart.exec(text);
    if (hunk !== null) {
      close();
      line = Number(hunk[1]);
      // An empty side names the line before it.
      if (/^@@ -\d+(?:,\d+)? \+\d+,0 @@/.test(text)) line += 1;
    } else if (line !== null && text.startsWith('+')) {
      open ??= { at: line, removed: 0, added: 0 };
      open.added += 1;
      line += 1;
    } else if (line !== null && text.startsWith('-')) {
      open ??= { at: line, removed: 0, added: 0 };
      open.removed += 1;
    } else if (line !== null && !text.startsWith('\\')) {
      close();
      line += 1;
    }
  }
  close();
  return line === null ? null : changes;
}

/** Changed lines when `oldText` at offset `at` is replaced with `newText`. */
export function lineChange(text: string, at: number, oldText: string, newText: string): Omit<LineChange, 'by'> {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const endOfOld = at + oldText.length;
  const lineEnd = text.indexOf('\n', endOfOld);
  const rest = text.slice(endOfOld, lineEnd < 0 ? text.length : lineEnd + 1);
  const head = text.slice(start, at);
  const old = splitKeepingLineEnds(head + oldText + rest);
  const now = splitKeepingLineEnds(head + newText + rest);
  const shorter = Math.min(old.length, now.length);
  let same = 0;
  while (same < shorter && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const saved = same + tail;
  return { at: linesOf(text.slice(0, start)) + same + 1, removed: old.length - saved, added: now.length - saved };
}

function splitKeepingLineEnds(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

export function linesOf(text: string): number {
  if (text === '') return 0;
  const ends = text.split('\n').length;
  return text.endsWith('\n') ? ends - 1 : ends;
}
