import { FileText, type Fragment } from './fragments.ts';
import type { HistoryLine } from './historyLine.ts';
import { unchangedLines } from './lineDiff.ts';

/** What one session knows about a file; `FileHistory` has both. */
export interface FileRecord {
  readonly session: string;
  readonly lines: readonly HistoryLine[];
  readonly fragments: readonly Fragment[];
}

/** A step of a session that may explain a line. */
export interface LineClaim {
  readonly session: string;
  readonly entryIndex: number;
  readonly kind: 'changed' | 'read';
  /** The line has changed since that step. */
  readonly isEditedSince: boolean;
}

const maxClaims = 8;
/** Pairs of lines compared in one differing range. */
const maxPairs = 10_000;
const leastAlike = 0.5;

/**
 * For each current line of a file, the steps that wrote or read it, best first: steps that wrote exactly this line, then
 * those whose line was edited since, then those that read it. Lines are found by content, so they may have moved. `records`:
 * newest first. Costs one comparison of lines per record and fragment.
 */
export function lineClaims(
  lines: readonly string[],
  records: readonly FileRecord[],
): readonly (readonly LineClaim[])[] {
  const now = new FileText(lines.map((line) => line.replace(/\r$/, '')));
  const all = now.lines.map((): LineClaim[] => []);
  for (const record of records) {
    const own = claimsOf(now, record);
    for (const [at, claims] of own.entries()) all[at]?.push(...claims);
  }
  return all.map((claims) => claims.sort((a, b) => rank(a) - rank(b)).slice(0, maxClaims));
}

function rank({ kind, isEditedSince }: LineClaim): number {
  return kind === 'read' ? 2 : isEditedSince ? 1 : 0;
}

interface ClaimedLine {
  by: number | null;
  isEditedSince: boolean;
  read: number | null;
}

function claimsOf(now: FileText, { session, lines, fragments }: FileRecord): LineClaim[][] {
  const owned = now.lines.map((): ClaimedLine => ({ by: null, isEditedSince: false, read: null }));
  const oldLines = lines.map(removeCarriageReturn);
  if (oldLines.every(({ text }) => text !== null)) {
    const texts = oldLines.map(({ text }) => text ?? '');
    claimLines(owned, now.lines, oldLines, unchangedLines(texts, now.lines), Infinity);
  } else {
    for (const { at, stretch } of splitAtGaps(oldLines)) claimFragment(owned, now, stretch, at);
  }
  for (const fragment of [...fragments].reverse()) claimFragment(owned, now, fragment.map(removeCarriageReturn));
  return owned.map(({ by, isEditedSince, read }) => [
    ...(by === null ? [] : [{ session, entryIndex: by, kind: 'changed' as const, isEditedSince }]),
    ...(read === null ? [] : [{ session, entryIndex: read, kind: 'read' as const, isEditedSince: false }]),
  ]);
}

/** The recorded parts of an incomplete file, and their positions. */
function splitAtGaps(lines: readonly HistoryLine[]): { at: number; stretch: HistoryLine[] }[] {
  const found: { at: number; stretch: HistoryLine[] }[] = [];
  let open: { at: number; stretch: HistoryLine[] } | undefined;
  for (const [at, line] of lines.entries()) {
    if (line.text === null) open = undefined;
    else if (open === undefined) found.push((open = { at, stretch: [line] }));
    else open.stretch.push(line);
  }
  return found;
}

function claimFragment(owned: ClaimedLine[], now: FileText, fragment: Fragment, at?: number): void {
  const places = now.locate(fragment, at);
  if (places === null) return;
  const back = new Int32Array(now.lines.length).fill(-1);
  for (const [of, place] of places.entries()) if (place !== -1 && place < back.length) back[place] = of;
  claimLines(owned, now.lines, fragment, back, 2);
}

function removeCarriageReturn(line: HistoryLine): HistoryLine {
  return line.text?.endsWith('\r') === true ? { ...line, text: line.text.slice(0, -1) } : line;
}

/**
 * `kept`: for each current line its index in `then`, ascending, or -1. Lines with an author keep it. `reach`: how many lines
 * before the first and after the last unchanged one may be edited ones, for each line of `then`.
 */
function claimLines(
  owned: ClaimedLine[],
  now: readonly string[],
  oldLines: readonly HistoryLine[],
  saved: Int32Array,
  reach: number,
): void {
  let [first, last] = [0, -1];
  for (let at = 0; at <= now.length; at += 1) {
    const place = at === now.length ? oldLines.length : (saved[at] ?? -1);
    if (place === -1) continue;
    const removed = oldLines.slice(last + 1, place);
    const from = last === -1 ? Math.max(first, at - removed.length * reach) : first;
    const to = place === oldLines.length ? Math.min(at, first + removed.length * reach) : at;
    haveOtherChanges(owned, now, [from, to], removed);
    const [line, own] = [oldLines[place], owned[at]];
    if (line !== undefined && own !== undefined) {
      if (line.by !== null && (own.by === null || own.isEditedSince))
        Object.assign(own, { by: line.by, isEditedSince: false });
      own.read ??= line.read;
    }
    [first, last] = [at + 1, place];
  }
}

/** Current lines in place of old ones: those similar to a line that a step wrote are edits of it. */
function haveOtherChanges(
  owned: ClaimedLine[],
  now: readonly string[],
  [from, to]: readonly [number, number],
  oldLines: readonly HistoryLine[],
): void {
  const written = oldLines.filter(({ by, text }) => by !== null && text !== null && text.trim() !== '');
  if (written.length === 0 || from >= to || written.length * (to - from) > maxPairs) return;
  for (let at = from; at < to; at += 1) {
    const own = owned[at];
    const text = now[at]?.trim() ?? '';
    if (own === undefined || own.by !== null || text === '') continue;
    let best = leastAlike;
    for (const line of written) {
      const similarityToText = similarity(line.text?.trim() ?? '', text);
      if (similarityToText < best) continue;
      best = similarityToText;
      Object.assign(own, { by: line.by, isEditedSince: true });
    }
  }
}

/** Share of common pairs of adjacent characters: 1 for the same text, 0 for nothing in common. */
function similarity(a: string, b: string): number {
  const [first, second] = [pairs(a), pairs(b)];
  if (first.size === 0 || second.size === 0) return a === b ? 1 : 0;
  let both = 0;
  for (const pair of first) if (second.has(pair)) both += 1;
  return (2 * both) / (first.size + second.size);
}

function pairs(text: string): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at + 1 < Math.min(text.length, 400); at += 1) found.add(text.slice(at, at + 2));
  return found;
}

/** Consecutive lines written by the same step, counted from 0, inclusive. */
export interface ClaimedRange {
  readonly first: number;
  readonly last: number;
  readonly claim: LineClaim;
}

/** The best claim of each line; an edited line does not end a range. */
export function claimedRanges(claims: readonly (readonly LineClaim[])[]): ClaimedRange[] {
  const ranges: ClaimedRange[] = [];
  for (const [at, [claim]] of claims.entries()) {
    if (claim?.kind !== 'changed') continue;
    const open = ranges.at(-1);
    const same = open?.claim.session === claim.session && open.claim.entryIndex === claim.entryIndex;
    if (open !== undefined && same && open.last === at - 1) ranges[ranges.length - 1] = { ...open, last: at };
    else ranges.push({ first: at, last: at, claim });
  }
  return ranges;
}
