import { unchangedLines } from '../files/lineDiff.ts';
import type { Hunk } from '../files/patch.ts';

/** A range of lines and what takes its place. */
export interface Splice {
  readonly at: number;
  readonly count: number;
  readonly lines: readonly string[];
  /** The recorded old lines, if the text differs from them. */
  readonly expected?: readonly string[];
}

/** How many lines before and after the expected place to search for a part of a hunk. */
const reach = 200;
/** Share of a hunk's old lines that must be there if not all are. */
const leastAlike = 0.5;

/**
 * Finds where the hunks of a patch apply, in order, each in the text after the previous ones. `back`: undoes the patch.
 * `null` for a hunk that does not apply.
 */
export function placeHunks(lines: readonly string[], hunks: readonly Hunk[], back = false): (Splice | null)[] {
  let now = [...lines];
  // Offset between lines of the text and the line numbers of the patch's old side.
  let [shift, from] = [0, 0];
  return hunks.map((hunk) => {
    const sides = { old: sideOf(hunk, '+'), new: sideOf(hunk, '-') };
    const [removedSide, addedSide] = back ? [sides.new, sides.old] : [sides.old, sides.new];
    // `@@ -5,0 +6 @@` adds after line 5.
    const start = hunk.oldStart === null ? null : Math.max(0, hunk.oldStart - (sides.old.length === 0 ? 0 : 1));
    const splice = placeOf(now, removedSide, addedSide, start === null ? null : Math.max(0, start + shift), from);
    const growth = sides.new.length - sides.old.length;
    if (splice === null) {
      if (back) shift += growth;
      return null;
    }
    now = [...now.slice(0, splice.at), ...addedSide, ...now.slice(splice.at + splice.count)];
    if (start !== null) shift = splice.at - start + (back ? 0 : growth);
    from = splice.at + addedSide.length;
    return splice;
  });
}

function sideOf({ lines }: Hunk, without: '+' | '-'): string[] {
  return lines.filter(({ mark }) => mark !== without).map(({ text }) => text);
}

/** `wanted` is `null` if the patch has no line numbers; then the lines must occur only once after `from`. */
function placeOf(
  lines: readonly string[],
  old: readonly string[],
  next: readonly string[],
  wanted: number | null,
  from: number,
): Splice | null {
  if (old.length === 0) {
    if (wanted === null || wanted > lines.length) return null;
    return { at: wanted, count: 0, lines: next };
  }
  const exact = nearestMatch(lines, old, wanted ?? from);
  if (exact !== -1) return { at: exact, count: old.length, lines: next };
  return wanted === null ? null : findPartialMatch(lines, old, next, wanted);
}

/** -1: nowhere. */
export function nearestMatch(lines: readonly string[], old: readonly string[], wanted: number): number {
  const last = lines.length - old.length;
  for (let away = 0; away <= lines.length; away += 1) {
    for (const at of away === 0 ? [wanted] : [wanted + away, wanted - away]) {
      if (at >= 0 && at <= last && old.every((text, line) => lines[at + line] === text)) return at;
    }
  }
  return -1;
}

/** Something changed there that no step reports: the range that holds enough of the old lines, in their order. */
function findPartialMatch(
  lines: readonly string[],
  old: readonly string[],
  next: readonly string[],
  wanted: number,
): Splice | null {
  const from = Math.max(0, wanted - reach);
  const saved = unchangedLines(lines.slice(from, wanted + old.length + reach), old);
  const places = old.flatMap((text, at) => (saved[at] === -1 || !/[\p{L}\p{N}]/u.test(text) ? [] : [saved[at] ?? 0]));
  const [first, last] = [places[0], places.at(-1)];
  const telling = old.filter((text) => /[\p{L}\p{N}]/u.test(text)).length;
  if (first === undefined || last === undefined || places.length < telling * leastAlike) return null;
  if (last - first > 2 * old.length + 2) return null;
  return { at: from + first, count: last - first + 1, lines: next, expected: old };
}
