import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { Pace } from '../pace.ts';
import type { RecordReader } from '../record/contract.ts';
import { packedForm } from '../record/pack/packFile.ts';
import type { Database } from './database.ts';
import { entriesPerSession, entryId } from './schema.ts';
import { SessionWriter } from './sessionWriter.ts';
import type { WriteBatch } from './writeBatch.ts';

/** Data that the index stores about a session. */
export interface IndexedSession {
  readonly no: number;
  /** Session of another program. */
  readonly observed: boolean;
  /** State of the record or of the store's files when indexed; empty if indexed partially. */
  readonly stamp: string;
  readonly entries: number;
  readonly words: number;
  /** Number of entries of which only the beginning was indexed. */
  readonly cut: number;
  readonly damaged: boolean;
}

/** Entries per read. */
const page = 50;

/** State of a record file, to compare with the indexed state. */
export async function recordStamp(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file).catch(() => stat(packedForm(file)));
  return [ino, size, mtimeMs].join(':');
}

/** Work with priority over indexing. */
export interface Turns {
  readonly signal: AbortSignal | undefined;
  /** Settles when urgent work is done; `undefined` if there is none. */
  readonly urgent?: (() => Promise<unknown> | undefined) | undefined;
}

/** @throws the signal's abort reason */
async function step(pace: Pace, { signal }: Turns): Promise<void> {
  signal?.throwIfAborted();
  await pace.step();
}

function paceOf({ urgent }: Turns): Pace {
  return new Pace(() => urgent?.() ?? setImmediate());
}

/**
 * Indexes new and changed entries of a record, or the whole record if it did not merely grow.
 * @throws the signal's abort reason, SQLite errors
 */
export async function indexRecord(
  database: Database,
  batch: WriteBatch,
  reader: RecordReader,
  { stamp, known }: { readonly stamp: string; readonly known: IndexedSession | undefined },
  turns: Turns,
): Promise<void> {
  const no = known?.no ?? addSession(database, reader.id, false);
  const pace = paceOf(turns);
  const write = async (writer: SessionWriter, from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += page) {
      for (const entry of await reader.read(at, Math.min(at + page, to))) {
        writer.add(entry);
        await step(pace, turns);
      }
    }
  };
  const chunks = known !== undefined && grew(known.stamp, stamp) ? chunksOf(database, no) : [];
  const last = chunks.pop()?.from ?? 0;
  if (last > 0 && known !== undefined) {
    for (const { from, to } of staleChunks(chunks, await reader.changedSince(sizeOf(known.stamp)))) {
      const writer = new SessionWriter(database, batch, no, from);
      await write(writer, from, to);
      writer.end(to, false);
    }
  }
  const writer = new SessionWriter(database, batch, no, last);
  await write(writer, last, reader.total);
  writer.end(reader.total, true);
  const isDamaged = reader.problems.length > 0;
  batch.add(0, () => finish(database, no, stamp, isDamaged));
}

/** Indexes the changes in a transcript that was read completely. @throws as `indexRecord` */
export async function indexTranscript(
  database: Database,
  batch: WriteBatch,
  id: string,
  read: { readonly entries: readonly NormalizedEntry[]; readonly stamp: string; readonly damaged: boolean },
  turns: Turns,
): Promise<void> {
  const no = indexedSession(database, id)?.no ?? addSession(database, id, true);
  const pace = paceOf(turns);
  const writer = new SessionWriter(database, batch, no, 0);
  for (const entry of read.entries) {
    writer.add(entry);
    await step(pace, turns);
  }
  writer.end((read.entries.at(-1)?.index ?? -1) + 1, true);
  batch.add(0, () => finish(database, no, read.stamp, read.damaged));
}

export function indexedSession(database: Database, id: string): IndexedSession | undefined {
  const row = database.get('SELECT * FROM sessions WHERE id = ?', id);
  return row === undefined ? undefined : sessionOf(row);
}

/** Keyed by session id. */
export function indexedSessions(database: Database): Map<string, IndexedSession> {
  return new Map(database.all('SELECT * FROM sessions').map((row) => [String(row['id']), sessionOf(row)]));
}

function sessionOf(row: Readonly<Record<string, unknown>>): IndexedSession {
  const count = (name: string): number => Number(row[name]);
  return {
    no: count('no'),
    observed: row['observed'] === 1,
    stamp: String(row['stamp']),
    entries: count('entries'),
    words: count('words'),
    cut: count('cut'),
    damaged: row['damaged'] === 1,
  };
}

function addSession(database: Database, id: string, isObserved: boolean): number {
  return database.transaction(() => {
    database.run(
      "INSERT OR IGNORE INTO sessions (id, observed, stamp, entries, words, cut, damaged) VALUES (?, ?, '', 0, 0, 0, 0)",
      ...[id, isObserved ? 1 : 0],
    );
    return Number(database.get('SELECT no FROM sessions WHERE id = ?', id)?.['no']);
  });
}

function finish(database: Database, no: number, stamp: string, isDamaged: boolean): void {
  const range = [entryId(no, 0), entryId(no + 1, 0)] as const;
  const sums = database.get(
    `SELECT coalesce(max(id), -1) AS last, coalesce(sum(words), 0) AS words, coalesce(sum(cut), 0) AS cut
     FROM entries WHERE id >= ? AND id < ?`,
    ...range,
  );
  const last = Number(sums?.['last']);
  const entries = last < 0 ? 0 : last - no * entriesPerSession + 1;
  database.run(
    'UPDATE sessions SET stamp = ?, entries = ?, words = ?, cut = ?, damaged = ? WHERE no = ?',
    ...[stamp, entries, Number(sums?.['words']), Number(sums?.['cut']), isDamaged ? 1 : 0, no],
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function chunksOf(database: Database, no: number): Range[] {
  const base = no * entriesPerSession;
  return database
    .all('SELECT id, next FROM chunks WHERE id >= ? AND id < ? ORDER BY id', base, entryId(no + 1, 0))
    .map(({ id, next }) => ({ from: Number(id) - base, to: Number(next) }));
}

/** Chunks that contain changed entries. A long call may settle long after the entries that follow it. */
function staleChunks(chunks: readonly Range[], changed: readonly number[]): Range[] {
  const stale = new Set<Range>();
  let place = 0;
  for (const index of changed) {
    for (let chunk = chunks[place]; chunk !== undefined && index >= chunk.to; chunk = chunks[place]) place += 1;
    const chunk = chunks[place];
    if (chunk === undefined) break;
    stale.add(chunk);
  }
  return [...stale];
}

/** Whether the same file became longer. */
function grew(before: string, now: string): boolean {
  return before.split(':')[0] === now.split(':')[0] && sizeOf(now) > sizeOf(before);
}

/** Size of the record in a stamp. */
function sizeOf(stamp: string): number {
  return Number(stamp.split(':')[1] ?? 0);
}
