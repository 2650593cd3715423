import { stat, type FileHandle } from 'node:fs/promises';
import type { RecordState } from '../../../formats/recordState.ts';
import { EntryReader } from './entryReader.ts';
import { newerVersionOf } from './header.ts';
import { isCutOff, openUnpackedFile } from '../pack/packFile.ts';
import { NewestEntries } from './newestEntries.ts';
import { Problems } from './problems.ts';
import { damageOf, type LineReading } from './readLine.ts';
import { applyAll, readLines, readTail, readUnfinished } from './tail.ts';
import { windows } from './windows.ts';

/** Entries loaded when a record is opened: the first page. */
const firstPage = 64;

/** An open record file with its state. `follow` updates it. */
export interface OpenRecord {
  readonly path: string;
  readonly handle: FileHandle;
  readonly state: RecordState;
  readonly problems: Problems;
  readonly entries: EntryReader;
  readonly recent: NewestEntries;
  /** Version in the header if a newer Vitrine wrote the record. */
  readonly newerVersion: number | null;
  /** The file is packed and truncated. */
  readonly isTruncated: boolean;
  /** End of the last whole line, and the rest after it. */
  end: number;
  lastPartialLine: LineReading;
  size: number;
  /** Time of the last change, ISO 8601. */
  modified: string;
  unknownLines: number;
}

/** @throws file system errors */
export async function openRecord(file: string, id: string): Promise<OpenRecord> {
  const { handle, isDamaged } = await openUnpackedFile(file);
  try {
    const { size, mtime } = await handle.stat();
    const { state, entries, readings, lastPartialLine, end, start } = await readTail(handle, id, size, firstPage);
    const problems = new Problems();
    const record: OpenRecord = {
      path: file,
      handle,
      state,
      problems,
      entries: new EntryReader(handle, problems),
      recent: new NewestEntries(entries),
      newerVersion: await newerVersionOf(handle, size),
      isTruncated: await isCutOff(file, size),
      end,
      lastPartialLine,
      size,
      modified: mtime.toISOString(),
      unknownLines: 0,
    };
    addReadings(record, readings, start === 0 ? -1 : null);
    if (record.isTruncated || isDamaged) problems.add({ offset: size, bytes: 0, reason: 'cut_off', head: '' }, null);
    return record;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads appended lines. `replaced`: the file is another one or shorter, so open it again. */
export async function follow(record: OpenRecord): Promise<'same' | 'grown' | 'replaced'> {
  const stats = await stat(record.path, { bigint: true }).catch(() => null);
  const ownStat = await record.handle.stat({ bigint: true });
  if (stats === null) return 'same';
  if (stats.ino !== ownStat.ino || stats.dev !== ownStat.dev || Number(stats.size) < record.size) return 'replaced';
  const size = Number(ownStat.size);
  if (size === record.size) return 'same';
  record.modified = ownStat.mtime.toISOString();
  for await (const { buffer, offset, oversizeLine } of windows(record.handle, record.end, size)) {
    const whole = buffer.subarray(0, buffer.lastIndexOf(10) + 1);
    const readings = readLines(whole, offset, true);
    for (const [index, entry] of applyAll(record.state, readings)) record.recent.put(index, entry);
    addReadings(record, readings, null);
    if (oversizeLine !== null)
      record.problems.add({ ...damageOf(buffer, offset, 'too_long'), bytes: oversizeLine.bytes }, null);
    record.end = offset + (oversizeLine?.bytes ?? whole.length);
  }
  record.lastPartialLine = await readUnfinished(record.handle, record.end, size);
  for (const [index, entry] of applyAll(record.state, [record.lastPartialLine])) record.recent.put(index, entry);
  record.size = size;
  return 'grown';
}

/** `lastEntry`: index of the entry before the first reading; -1 for none, `null` if unknown. */
function addReadings(record: OpenRecord, readings: readonly LineReading[], lastEntry: number | null): void {
  let after = lastEntry;
  for (const { found, damage } of readings) {
    for (const problem of damage) record.problems.add(problem, after === -1 ? null : after);
    for (const { line } of found) {
      if (line === null) record.unknownLines += 1;
      else if (line.kind === 'entry') after = line.entry.index;
    }
  }
}
