import type { FileHandle } from 'node:fs/promises';
import { entryLinePrefix } from '../../../formats/record.ts';
import { EntryOffsets, type Span } from './offsets.ts';
import type { Problems } from './problems.ts';
import { damageOf, readLine, type Damage } from './readLine.ts';
import { linesOf, windows, type Window } from './windows.ts';

const entryStart = Buffer.from(entryLinePrefix);
const lineStart = Buffer.from('{"kind":"');
/** Starts of indexed lines: entries, runs and results, usage. */
const indexedStarts = [entryStart, Buffer.from('{"kind":"r'), Buffer.from('{"kind":"usage","run_id":')];

/**
 * Positions of all lines in a record, built in one pass and extended as it grows. `isQuick` checks only how lines begin
 * and end; otherwise every line is parsed.
 */
export class RecordIndex {
  readonly entries = new EntryOffsets();
  /** Lines of runs and results, in file order. */
  readonly runs: Span[] = [];
  /** Lines of usage, in file order. */
  readonly usage: Span[] = [];
  readonly isQuick: boolean;
  readonly #problems: Problems;
  #end = 0;
  #lastEntry: number | null = null;

  constructor(problems: Problems, { isQuick }: { isQuick: boolean }) {
    this.#problems = problems;
    this.isQuick = isQuick;
  }

  /** Indexed so far: the start of a line. */
  get end(): number {
    return this.#end;
  }

  /** Continues to `to`. An incomplete line is left for the next call. */
  async extend(handle: FileHandle, to: number): Promise<void> {
    for await (const window of windows(handle, this.#end, to)) {
      if (window.oversizeLine === null) this.#indexWindow(window);
      else this.#addDamage({ ...damageOf(window.buffer, window.offset, 'too_long'), bytes: window.oversizeLine.bytes });
      this.#end = window.offset + (window.oversizeLine?.bytes ?? window.buffer.lastIndexOf(10) + 1);
    }
  }

  #indexWindow({ buffer, offset }: Window): void {
    const joinedLines = this.isQuick ? findJoinedLines(buffer) : null;
    for (const { start, end } of linesOf(buffer)) {
      if (end === buffer.length) return;
      if (start === end) continue;
      if (joinedLines === null || joinedLines.has(start) || !looksComplete(buffer, start, end)) {
        this.#indexLine(buffer.subarray(start, end), offset + start);
      } else if (buffer[start + 9] === 101) {
        this.#indexEntry(buffer, start, end, offset);
      } else if (buffer[start + 9] === 114) {
        this.runs.push({ offset: offset + start, bytes: end - start });
      } else if (buffer[start + 9] === 117) {
        this.usage.push({ offset: offset + start, bytes: end - start });
      }
    }
  }

  #indexEntry(buffer: Buffer, start: number, end: number, base: number): void {
    const index = entryIndexAt(buffer, start, end);
    if (index !== null) this.#put(index, buffer.subarray(start, end), base + start);
  }

  #indexLine(bytes: Buffer, offset: number): void {
    const reading = readLine(bytes, offset);
    for (const damage of reading.damage) this.#addDamage(damage);
    for (const { line, ...span } of reading.found) {
      if (line?.kind === 'run' || line?.kind === 'result') this.runs.push(span);
      if (line?.kind === 'usage') this.usage.push(span);
      if (line?.kind !== 'entry') continue;
      const start = span.offset - offset;
      this.#put(line.entry.index, bytes.subarray(start, start + span.bytes), span.offset);
    }
  }

  #put(index: number, line: Buffer, offset: number): void {
    if (this.entries.set(index, { offset, bytes: line.length })) this.#lastEntry = index;
    else this.#addDamage(damageOf(line, offset, 'index_out_of_range'));
  }

  #addDamage(damage: Damage): void {
    this.#problems.add(damage, this.#lastEntry);
  }
}

/** Entry index of the line at `start`; `null` if it is not an entry line. */
export function entryIndexAt(buffer: Buffer, start: number, end: number): number | null {
  const digits = start + entryStart.length;
  if (digits >= end || buffer.compare(entryStart, 0, entryStart.length, start, digits) !== 0) return null;
  let index = 0;
  let at = digits;
  for (; at < end; at += 1) {
    const digit = (buffer[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    index = index * 10 + digit;
  }
  return at === digits || !Number.isSafeInteger(index) ? null : index;
}

function looksComplete(buffer: Buffer, start: number, end: number): boolean {
  if (end - start <= lineStart.length || buffer[end - 1] !== 125) return false;
  return buffer.compare(lineStart, 0, lineStart.length, start, start + lineStart.length) === 0;
}

/** Starts of lines that contain the start of another line. */
function findJoinedLines(buffer: Buffer): Set<number> {
  const lines = new Set<number>();
  for (let at = buffer.indexOf(lineStart); at >= 0;) {
    let next = at + 1;
    if (at > 0 && buffer[at - 1] !== 10 && isJoinedLine(buffer, at)) {
      lines.add(buffer.lastIndexOf(10, at) + 1);
      // One match per line is enough, and searching backwards may be slow.
      next = buffer.indexOf(10, at);
      if (next < 0) break;
    }
    at = buffer.indexOf(lineStart, next);
  }
  return lines;
}

/** Nested objects may start like lines, but as values. A torn line is recognized by the `kind` that follows. */
function isJoinedLine(buffer: Buffer, at: number): boolean {
  const before = buffer[at - 1] ?? 0;
  const isValue = before === 58 || before === 44 || before === 91;
  return !isValue || indexedStarts.some((start) => buffer.subarray(at, at + start.length).equals(start));
}
