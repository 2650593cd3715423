import type { DiffLine } from '../../../model/transcript/editPreview.ts';
import { unchangedLines } from '../lineDiff.ts';

/** Number of unchanged lines shown before and after a change. */
const around = 3;

/** Changed lines with the lines around them, numbered on both sides. */
export function diffWithContext(before: string, next: string): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(next)];
  const all: DiffLine[] = [];
  let at = 0;
  for (const [line, index] of unchangedLines(old, now).entries()) {
    if (index === -1) continue;
    push(all, old, now, [at, index, nextLineIndex(all), line]);
    at = index + 1;
    all.push({ kind: 'same', text: old[index] ?? '', before: index + 1, after: line + 1 });
  }
  push(all, old, now, [at, old.length, nextLineIndex(all), now.length]);
  return removeDistantLines(all);
}

/** Index of the next line of the changed text that is not in `all` yet. */
function nextLineIndex(all: readonly DiffLine[]): number {
  return all.findLast(({ after }) => after !== undefined)?.after ?? 0;
}

function push(
  all: DiffLine[],
  old: readonly string[],
  now: readonly string[],
  [oldFrom, oldTo, nowFrom, nowTo]: readonly [number, number, number, number],
): void {
  for (let n = oldFrom; n < oldTo; n += 1) all.push({ kind: 'del', text: old[n] ?? '', before: n + 1 });
  for (let n = nowFrom; n < nowTo; n += 1) all.push({ kind: 'add', text: now[n] ?? '', after: n + 1 });
}

function removeDistantLines(all: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(all.length);
  for (const [at, { kind }] of all.entries()) {
    if (kind !== 'same') near.fill(1, Math.max(0, at - around), at + around + 1);
  }
  const shown: DiffLine[] = [];
  for (const [at, line] of all.entries()) {
    if (near[at] === 1) shown.push(line);
    else if (shown.length > 0 && shown.at(-1)?.kind !== 'gap') shown.push({ kind: 'gap', text: '' });
  }
  if (shown.at(-1)?.kind === 'gap') shown.pop();
  return shown;
}

/** A final line break does not start another line. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
