import type { FileHandle } from 'node:fs/promises';
import { RecordState } from '../../../formats/recordState.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { maxLineBytes } from '../layout.ts';
import { isPlausible } from './offsets.ts';
import { damageOf, readLine, type LineReading } from './readLine.ts';
import { entryIndexAt } from './recordIndex.ts';
import { linesOf, readAt, windows } from './windows.ts';

const firstBytes = 32 * 1024;
/** Maximum bytes at the end of the file in which entries are read; earlier ones are read on demand. */
const entryBytes = 1024 * 1024;
const nothing: LineReading = { found: [], damage: [] };

/** The end of a record, enough for its state and its last entries. */
export interface Tail {
  readonly state: RecordState;
  /** Intact entries of the last MiB, in their last state. */
  readonly entries: Map<number, NormalizedEntry>;
  /** All lines from `start` on, in file order. */
  readonly readings: readonly LineReading[];
  /** The rest after the last line end: a line in progress, or a torn one. */
  readonly lastPartialLine: LineReading;
  readonly start: number;
  /** End of the last whole line. */
  readonly end: number;
}

/**
 * Reads backwards until it has a summary and `minEntries` entries. If 64 MiB have no summary, or marks have a wrong type,
 * streams the rest.
 */
export async function readTail(handle: FileHandle, id: string, size: number, minEntries: number): Promise<Tail> {
  const end = await lastLineEnd(handle, size);
  const lastPartialLine = await readUnfinished(handle, end, size);
  const segments: LineReading[][] = [];
  const state = new RecordState(id);
  let start = end;
  let summary = false;
  let entries = 0;
  for (let length = firstBytes; start > 0 && length <= maxLineBytes; length *= 2) {
    if (summary && (entries >= minEntries || end - start >= entryBytes)) break;
    const from = Math.max(0, end - length);
    const bytes = await readAt(handle, from, start - from);
    const first = from === 0 ? 0 : bytes.indexOf(10) + 1;
    const whole = bytes.subarray(first);
    addEntries(state, whole, from + first);
    const earlier = readLines(whole, from + first, minEntries > 0 && length <= entryBytes);
    for (const { line } of earlier.flatMap((reading) => reading.found)) {
      if (line?.kind === 'summary') summary = true;
      if (line?.kind === 'entry') entries += 1;
    }
    segments.unshift(earlier);
    start = from + first;
  }
  const readings = segments.flat();
  const isMistyped = readings.some(({ damage }) => damage.some(({ reason }) => reason === 'mistyped_metadata'));
  if (isMistyped) state.ignoreCounts();
  if ((!summary || isMistyped) && start > 0) await streamState(handle, state, start);
  return { state, entries: applyAll(state, [...readings, lastPartialLine]), readings, lastPartialLine, start, end };
}

/** Offset after the last line end, 0 if there is none. */
async function lastLineEnd(handle: FileHandle, size: number): Promise<number> {
  for (let to = size; to > 0;) {
    const from = Math.max(0, to - firstBytes);
    const found = (await readAt(handle, from, to - from)).lastIndexOf(10);
    if (found >= 0) return from + found + 1;
    to = from;
  }
  return 0;
}

export async function readUnfinished(handle: FileHandle, end: number, size: number): Promise<LineReading> {
  if (end === size) return nothing;
  const bytes = await readAt(handle, end, Math.min(size - end, maxLineBytes));
  if (size - end <= maxLineBytes) return readLine(bytes, end);
  return { found: [], damage: [{ ...damageOf(bytes, end, 'too_long'), bytes: size - end }] };
}

/** Parses whole lines. Without `all`, only those with the session's state. */
export function readLines(bytes: Buffer, offset: number, all: boolean): LineReading[] {
  const readings: LineReading[] = [];
  for (const { start, end } of linesOf(bytes)) {
    if (start < end && (all || mayContainState(bytes, start))) {
      readings.push(readLine(bytes.subarray(start, end), offset + start));
    }
  }
  return readings;
}

/** Whether a line holds state, by the first letter of its kind: header, run, result, session, summary. */
function mayContainState(bytes: Buffer, start: number): boolean {
  const letter = bytes[start + 9];
  return letter === 104 || letter === 114 || letter === 115;
}

async function streamState(handle: FileHandle, state: RecordState, to: number): Promise<void> {
  for await (const { buffer, offset, oversizeLine } of windows(handle, 0, to)) {
    if (oversizeLine !== null) continue;
    addEntries(state, buffer, offset);
    applyAll(state, readLines(buffer, offset, false));
  }
}

/** Counts entries by the start of their lines. */
function addEntries(state: RecordState, bytes: Buffer, offset: number): void {
  for (const { start, end } of linesOf(bytes)) {
    const index = entryIndexAt(bytes, start, end);
    if (index !== null && isPlausible(index, offset + start)) state.addEntry(index);
  }
}

/** Applies lines in file order. Returns their entries in their last state. */
export function applyAll(state: RecordState, readings: readonly LineReading[]): Map<number, NormalizedEntry> {
  const entries = new Map<number, NormalizedEntry>();
  for (const { line, offset } of readings.flatMap((reading) => reading.found)) {
    if (line?.kind === 'entry') {
      if (!isPlausible(line.entry.index, offset)) continue;
      state.addEntry(line.entry.index);
      entries.set(line.entry.index, line.entry);
    } else if (line !== null) {
      state.apply(line);
    }
  }
  return entries;
}
