import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { Pace } from '../pace.ts';
import type { RecordReader } from '../record/contract.ts';
import { packedForm } from '../record/pack/packFile.ts';
import type { Database } from './database.ts';
import { packLengths } from './entryLengths.ts';
import { endId, entryId, type SessionBlocks } from './schema.ts';
import { reserveBlocks, SessionWriter } from './sessionWriter.ts';
import type { WriteBatch } from './writeBatch.ts';

/** Data that the index stores about a session. */
export interface IndexedSession extends SessionBlocks {
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
const entriesPerRead = 50;

/** State of a record file, to compare with the indexed state. */
export async function recordStamp(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file).catch(() => stat(packedForm(file)));
  return [ino, size, mtimeMs].join(':');
}

/** Work with priority over indexing. */
export interface PriorityWork {
  readonly signal: AbortSignal | undefined;
  /** Settles when urgent work is done; `undefined` if there is none. */
  readonly urgent?: (() => Promise<unknown> | undefined) | undefined;
}

/** @throws the signal's abort reason */
async function step(pace: Pace, { signal }: PriorityWork): Promise<void> {
  signal?.throwIfAborted();
  await pace.step();
}

function paceOf({ urgent }: PriorityWork): Pace {
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
  { stamp, known: before }: { readonly stamp: string; readonly known: IndexedSession | undefined },
  turns: PriorityWork,
): Promise<void> {
  const session = reserveBlocks(database, reader.id, { isObserved: false, entries: reader.total });
  const known = before?.no === session.no ? before : undefined;
  const pace = paceOf(turns);
  const write = async (writer: SessionWriter, from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += entriesPerRead) {
      for (const entry of await reader.read(at, Math.min(at + entriesPerRead, to))) {
        writer.add(entry);
        await step(pace, turns);
      }
    }
  };
  const chunks = known !== undefined && isContinuation(known.stamp, stamp) ? chunksOf(database, session) : [];
  const last = chunks.pop()?.from ?? 0;
  if (last > 0 && known !== undefined) {
    for (const { from, to } of staleChunks(chunks, await reader.changedSince(sizeOf(known.stamp)))) {
      const writer = new SessionWriter(database, batch, session, from);
      await write(writer, from, to);
      writer.end(to, false);
    }
  }
  const writer = new SessionWriter(database, batch, session, last);
  await write(writer, last, reader.total);
  writer.end(reader.total, true);
  const isDamaged = reader.problems.length > 0;
  batch.add(0, () => markIndexed(database, session, stamp, isDamaged));
}

/** Indexes the changes in a transcript that was read completely. @throws as `indexRecord` */
export async function indexTranscript(
  database: Database,
  batch: WriteBatch,
  id: string,
  read: { readonly entries: readonly NormalizedEntry[]; readonly stamp: string; readonly damaged: boolean },
  turns: PriorityWork,
): Promise<void> {
  const entries = (read.entries.at(-1)?.index ?? -1) + 1;
  const session = reserveBlocks(database, id, { isObserved: true, entries });
  const pace = paceOf(turns);
  const writer = new SessionWriter(database, batch, session, 0);
  for (const entry of read.entries) {
    writer.add(entry);
    await step(pace, turns);
  }
  writer.end(entries, true);
  batch.add(0, () => markIndexed(database, session, read.stamp, read.damaged));
}

export function indexedSession(database: Database, id: string): IndexedSession | undefined {
  const row = database.get(`SELECT ${columns} FROM sessions WHERE id = ?`, id);
  return row === undefined ? undefined : sessionOf(row);
}

const columns = 'no, id, block, blocks, observed, stamp, entries, words, cut, damaged';
const cachedSessions = new WeakMap<
  Database,
  { readonly state: string; readonly sessions: Map<string, IndexedSession> }
>();

/** Keyed by session id. The same map as before if nothing was written since. */
export function indexedSessions(database: Database): ReadonlyMap<string, IndexedSession> {
  // The first changes with writes of other connections, the second with our own.
  const version = database.get('PRAGMA data_version')?.['data_version'];
  const changes = database.get('SELECT total_changes() AS changes')?.['changes'];
  const state = [version, changes].join(' ');
  const known = cachedSessions.get(database);
  if (known?.state === state) return known.sessions;
  const rows = database.all(`SELECT ${columns} FROM sessions`);
  const sessions = new Map(rows.map((row) => [String(row['id']), sessionOf(row)]));
  cachedSessions.set(database, { state, sessions });
  return sessions;
}

function sessionOf(row: Readonly<Record<string, unknown>>): IndexedSession {
  const count = (name: string): number => Number(row[name]);
  return {
    no: count('no'),
    block: count('block'),
    blocks: count('blocks'),
    observed: row['observed'] === 1,
    stamp: String(row['stamp']),
    entries: count('entries'),
    words: count('words'),
    cut: count('cut'),
    damaged: row['damaged'] === 1,
  };
}

function markIndexed(database: Database, session: SessionBlocks, stamp: string, isDamaged: boolean): void {
  const sums = database.get(
    `SELECT coalesce(max(id), -1) AS last, coalesce(sum(words), 0) AS words, coalesce(sum(cut), 0) AS cut
     FROM entries WHERE id >= ? AND id < ?`,
    ...[entryId(session, 0), endId(session)],
  );
  const last = Number(sums?.['last']);
  const entries = last < 0 ? 0 : last - entryId(session, 0) + 1;
  database.run(
    'UPDATE sessions SET stamp = ?, entries = ?, words = ?, cut = ?, damaged = ?, lengths = ? WHERE no = ?',
    ...[stamp, entries, Number(sums?.['words']), Number(sums?.['cut']), isDamaged ? 1 : 0],
    ...[packLengths(database, session), session.no],
  );
}

interface EntryRange {
  readonly from: number;
  readonly to: number;
}

function chunksOf(database: Database, session: SessionBlocks): EntryRange[] {
  const base = entryId(session, 0);
  return database
    .all('SELECT id, next FROM chunks WHERE id >= ? AND id < ? ORDER BY id', base, endId(session))
    .map(({ id, next }) => ({ from: Number(id) - base, to: Number(next) }));
}

/** Chunks that contain changed entries. A long call may settle long after the entries that follow it. */
function staleChunks(chunks: readonly EntryRange[], changed: readonly number[]): EntryRange[] {
  const stale = new Set<EntryRange>();
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
function isContinuation(before: string, now: string): boolean {
  return before.split(':')[0] === now.split(':')[0] && sizeOf(now) > sizeOf(before);
}

/** Size of the record in a stamp. */
function sizeOf(stamp: string): number {
  return Number(stamp.split(':')[1] ?? 0);
}
