import assert from 'node:assert/strict';
import { splitLines } from '../../../../src/insight/review/fileText.ts';
import { unreported } from '../../../../src/insight/review/lineTrail.ts';
import type { ReviewHunk } from '../../../../src/insight/review/reviewHunks.ts';
import type { MadeHistory, MadeLine } from './madeHistory.ts';

/** Lines of the history that a hunk shows; the empty line after the last line break is none. */
function linesOf({ all }: MadeHistory, hunk: ReviewHunk): { base: MadeLine[]; now: MadeLine[] } {
  const base = all.filter(({ by }) => by === null).slice(...hunk.base);
  const now = all.filter(({ removed }) => removed === undefined).slice(...hunk.now);
  return { base, now };
}

/** Everyone who wrote over lines of someone in the set, and so on. */
function reached({ overlaps }: MadeHistory, from: ReadonlySet<number>): Set<number> {
  const all = new Set(from);
  for (const author of all) for (const other of overlaps.get(author) ?? []) all.add(other);
  return all;
}

export function assertAuthors(history: MadeHistory, hunk: ReviewHunk): void {
  const { base, now } = linesOf(history, hunk);
  const wrote = now.map(({ by }) => by);
  assert.ok(!wrote.includes(null), 'a hunk holds only lines that were written');
  const removers = base.map(({ removed }) => removed);
  assert.ok(!removers.includes(undefined), 'a hunk replaces only lines that went');
  const must = new Set([...wrote, ...(now.length === 0 ? removers.slice(-1) : [])] as number[]);
  const may = reached(history, new Set([...wrote, ...removers] as number[]));
  for (const author of must) assert.ok(hunk.by.includes(author), `${author} is not among ${hunk.by.join()}`);
  for (const author of hunk.by) assert.ok(may.has(author), `${author} did nothing here: ${hunk.by.join()}`);
  if (!hunk.by.includes(unreported)) assert.equal(hunk.by.at(-1), Math.max(...hunk.by));
}

/** The lines of the hunk went, those before it came back at their place; nothing else moved, and no break changed. */
export function assertReverted(history: MadeHistory, hunk: ReviewHunk, text: string | null): void {
  assert.ok(text !== null);
  const lines = linesOf(history, hunk);
  const [now, next] = [splitLines(history.now), splitLines(text)];
  assert.equal(next.mark, now.mark);
  assert.ok(next.lineBreaks.every((reason) => reason === (now.lineBreaks[0] ?? reason)));
  const gone = new Set(lines.now);
  const stays = history.all.filter((line) => line.removed === undefined && !gone.has(line));
  const back = new Set(lines.base);
  const isBase = new Map([...stays, ...back].map((line) => [line.text, line]));
  const end = next.lines.at(-1) === '' ? next.lines.slice(0, -1) : next.lines;
  const found = end.map((line) => isBase.get(line));
  assert.deepEqual(
    found.filter((line) => line !== undefined && !back.has(line)),
    stays,
  );
  assert.deepEqual(
    found.filter((line) => line?.by === null),
    history.all.filter((line) => line.by === null && (back.has(line) || line.removed === undefined)),
  );
  assert.equal(end.length, stays.length + back.size);
}
