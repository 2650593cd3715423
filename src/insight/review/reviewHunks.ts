import { unchangedLines } from '../files/lineDiff.ts';
import { type Author, distinctValues, type LineTrail, unreported } from './lineTrail.ts';

type Range = readonly [from: number, to: number];

/**
 * Consecutive lines that differ between the first and the last text, changed by the same steps. Ranges are exclusive.
 */
export interface ReviewHunk {
  readonly base: Range;
  readonly now: Range;
  /** Entries of the steps that wrote here, newest last; `unreported` for changes that no tool call reports. */
  readonly by: readonly Author[];
}

type Region = Omit<ReviewHunk, 'by'>;

/** The hunks between the first and the last text of the trail, in order. */
export function reviewHunks(trail: LineTrail): ReviewHunk[] {
  const { base, texts } = trail;
  const followed = findChangedRegions(trail);
  const compared = narrowRegions(base, texts, [0, base.length, 0, texts.length]);
  // Only a comparison finds text that was removed and added again, for example by a revert.
  const regions = removedLines(compared) < removedLines(followed) ? compared : followed;
  return regions.flatMap((region) => mergeNeighbours(partsOf(trail, region)));
}

function removedLines(regions: readonly Region[]): number {
  return regions.reduce((sum, { base: [from, to] }) => sum + to - from, 0);
}

/** Regions between lines of the first text that still exist. */
function findChangedRegions(trail: LineTrail): Region[] {
  const { base, lines, texts } = trail;
  const regions: Region[] = [];
  let [b, n] = [0, 0];
  const upTo = (toBase: number, toNow: number): void => {
    if (toBase > b || toNow > n) regions.push(...narrowRegions(base, texts, [b, toBase, n, toNow]));
  };
  for (const [at, line] of lines.entries()) {
    if (line.base === null) continue;
    upTo(line.base, at);
    [b, n] = [line.base + 1, at + 1];
  }
  upTo(base.length, lines.length);
  return regions;
}

type DiffRange = readonly [baseFrom: number, baseTo: number, nowFrom: number, nowTo: number];

/** Lines that were written again as they were do not differ. */
function narrowRegions(base: readonly string[], now: readonly string[], [b0, b1, n0, n1]: DiffRange): Region[] {
  const saved = unchangedLines(base.slice(b0, b1), now.slice(n0, n1));
  const regions: Region[] = [];
  let [b, n] = [b0, n0];
  for (let at = n0; at <= n1; at += 1) {
    const same = at === n1 ? b1 - b0 : (saved[at - n0] ?? -1);
    if (same === -1) continue;
    if (b0 + same > b || at > n) regions.push({ base: [b, b0 + same], now: [n, at] });
    [b, n] = [b0 + same + 1, at + 1];
  }
  return regions;
}

function indexes([from, to]: Range): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Parts that belong together because a line of one side replaced a line of the other. */
function partsOf(trail: LineTrail, region: Region): ReviewHunk[] {
  const parts: ReviewHunk[] = [];
  const { base, now } = region;
  const links = linksOf(trail, region);
  let [b, n] = [base[0], now[0]];
  while (b < base[1] || n < now[1]) {
    const [fromBase, nowStart] = [b, n];
    // A removal precedes an insertion at the same place.
    if (b < base[1] && links.toNow(b) === 0) b += 1;
    else if (n < now[1] && links.toBase(n) === 0) n += 1;
    else [b, n] = findSmallestPair(links, [b, base[1]], [n, now[1]]);
    parts.push(hunkOf(trail, [fromBase, b], [nowStart, n]));
  }
  return parts;
}

/** Where the last line ends that is linked to a line of the other side; 0 if none is. */
interface Links {
  readonly toBase: (now: number) => number;
  readonly toNow: (base: number) => number;
}

/** Lines that replaced the same ones share a list, and each list is read once. */
function linksOf(trail: LineTrail, { base: [b0, bEnd], now }: Region): Links {
  const ends = new Map<readonly number[], { readonly toBase: number; readonly toNow: number }>();
  for (const at of indexes(now)) {
    const over = trail.lines[at]?.over ?? [];
    const known = ends.get(over);
    const toBase =
      known?.toBase ?? over.reduce((to, line) => (line < b0 || line >= bEnd ? to : Math.max(to, line + 1)), 0);
    ends.set(over, { toBase, toNow: at + 1 });
  }
  const toNow = new Map<number, number>();
  for (const [over, end] of ends) for (const line of over) toNow.set(line, Math.max(toNow.get(line) ?? 0, end.toNow));
  return {
    toBase: (at) => ends.get(trail.lines[at]?.over ?? [])?.toBase ?? 0,
    toNow: (line) => toNow.get(line) ?? 0,
  };
}

/** Ends of the smallest pair of ranges in which no line is linked to one after them. */
function findSmallestPair({ toBase, toNow }: Links, [b, bEnd]: Range, [n, nEnd]: Range): [number, number] {
  let [endBase, endNow] = [Math.min(b + 1, bEnd), Math.min(n + 1, nEnd)];
  let [nextBase, nextNow] = [b, n];
  while (nextBase < endBase || nextNow < endNow) {
    if (nextBase < endBase) endNow = Math.max(endNow, toNow(nextBase++));
    else endBase = Math.max(endBase, toBase(nextNow++));
  }
  return [endBase, endNow];
}

function hunkOf(trail: LineTrail, base: Range, now: Range): ReviewHunk {
  const removed = indexes(base).flatMap((at) => trail.authorsOfRemoval(at));
  const written = distinctValues(indexes(now).map((at) => trail.lines[at]?.by ?? [])).flat();
  return { base, now, by: sortAuthors(removed, written) };
}

/** Authors of current lines come after those of removed lines; steps are in the order of their entries. */
function sortAuthors(removed: readonly Author[], written: readonly Author[]): Author[] {
  const steps = [...new Set([...removed, ...written])].filter((by) => by !== unreported).sort((a, b) => a - b);
  const last = written.length > 0 ? written.at(-1) : removed.at(-1);
  const behind = removed.includes(unreported) || written.includes(unreported);
  if (!behind) return steps.length === 0 ? [unreported] : steps;
  return last === unreported ? [...steps, unreported] : [unreported, ...steps];
}

/** Neighbours that the same steps changed are one hunk. */
function mergeNeighbours(parts: readonly ReviewHunk[]): ReviewHunk[] {
  const hunks: ReviewHunk[] = [];
  for (const part of parts) {
    const open = hunks.at(-1);
    if (open !== undefined && open.by.join() === part.by.join()) {
      hunks[hunks.length - 1] = { base: [open.base[0], part.base[1]], now: [open.now[0], part.now[1]], by: open.by };
    } else hunks.push(part);
  }
  return hunks;
}
