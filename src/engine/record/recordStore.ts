import { lstat, readdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { recordVersion, type RecordedTurn } from '../../formats/record.ts';
import { sessionIdSchema, type Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { packRecord, isPacked, openForList, unpackRecord, statRecord } from './pack/packedRecord.ts';
import { lastHash } from './chain/hashChain.ts';
import { hasDamagedEnd, missingEnd } from './chain/recordEnd.ts';
import type { RecordReader, RecordWriter, WriteProblem } from './contract.ts';
import { RecordBusyError, RecordNotFoundError, RecordVersionError } from './errors.ts';
import { newerVersionOf } from './read/header.ts';
import { errorCode, recordFile, sessionFolder, sessionsFolder } from './layout.ts';
import { findLeftoverFolder } from './outputs.ts';
import { arePacked, nothingPacked, openUnpacked, packRuns, unpackRuns, type PackedFile } from './pack/packFile.ts';
import { FileRecordReader } from './read/recordReader.ts';
import { readTail } from './read/tail.ts';
import { FileRecordWriter, makeFolder } from './write/recordWriter.ts';
import { isCreating, hasWriter, WriterLease } from './write/writerLease.ts';

/** Number of records read concurrently while listing. */
const maxConcurrentReads = 16;
/** Suffix of folders being deleted; no session id ends like this. */
const doomedSuffix = '.deleted';

export interface StoreDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: { warn(message: string): void };
}

export interface WriterOptions {
  /** Called when the writer starts to keep lines in memory because they cannot be written. */
  readonly onProblem?: (problem: WriteProblem) => void;
}

/** Readable sessions, and unreadable ones with the reason. */
export interface StoreListing {
  /** Newest first. */
  readonly summaries: readonly SessionSummary[];
  /** The same sessions, unordered. */
  readonly ledgers: readonly Ledger[];
  /** Sessions whose last run has no recorded end and that have no writer. */
  readonly interrupted: readonly string[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Ids of sessions whose record lacks something, according to its end. */
  readonly damaged: ReadonlySet<string>;
}

/** A session with its newest runs; `omitted` counts earlier ones. */
export interface Ledger {
  readonly summary: SessionSummary;
  readonly turns: readonly RecordedTurn[];
  readonly omitted: number;
}

interface ListedRecord extends Ledger {
  readonly mtimeMs: number;
  readonly size: number;
  /** As in `RecordState`. */
  readonly isOpen: boolean;
  readonly isRunOpen: boolean;
  readonly isDamaged: boolean;
}

/** All records below one folder. Caches one summary per session, with its newest runs. */
export class RecordStore {
  readonly #dir: string;
  readonly #deps: StoreDeps;
  readonly #listedRecords = new Map<string, ListedRecord>();
  #unreadable: StoreListing['unreadable'] = [];
  #damaged: StoreListing['damaged'] = new Set();

  constructor(dir: string, deps: StoreDeps) {
    this.#dir = dir;
    this.#deps = deps;
  }

  /** Newest first. */
  async list(): Promise<SessionSummary[]> {
    return [...(await this.listRecords()).summaries];
  }

  /** Lists without using the cache. */
  async rebuild(): Promise<SessionSummary[]> {
    this.#listedRecords.clear();
    return await this.list();
  }

  /** Records that could not be read when last listed. */
  get unreadable(): StoreListing['unreadable'] {
    return this.#unreadable;
  }

  /** Ids of damaged records when last listed. */
  get damaged(): StoreListing['damaged'] {
    return this.#damaged;
  }

  async listRecords(): Promise<StoreListing> {
    const ids = await this.#listIds();
    const ledgers: Ledger[] = [];
    const interrupted: string[] = [];
    const damaged = new Set<string>();
    const unreadable: { id: string; reason: string }[] = [];
    const remaining = ids.values();
    const lister = async () => {
      for (const id of remaining) {
        try {
          const listed = await this.#read(id);
          if (listed === null) continue;
          ledgers.push(listed);
          if (listed.isOpen) interrupted.push(id);
          if (listed.isDamaged) damaged.add(id);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          unreadable.push({ id, reason });
          this.#deps.log.warn(`The record of session ${id} cannot be read: ${reason}`);
        }
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentReads }, lister));
    this.#unreadable = unreadable;
    this.#damaged = damaged;
    const present = new Set(ids);
    for (const id of this.#listedRecords.keys()) if (!present.has(id)) this.#listedRecords.delete(id);
    const summaries = ledgers.map(({ summary }) => summary);
    summaries.sort((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0));
    return { summaries, ledgers, interrupted, unreadable, damaged };
  }

  /** Writes header and session. If the folder is not writable, the writer starts in memory. @throws RecordBusyError */
  async create(session: Session, options: WriterOptions = {}): Promise<RecordWriter> {
    const id = session.session_id;
    const record = await statRecord(sessionFolder(this.#dir, id)).catch(() => null);
    if (record !== null && record.size > 0) throw new Error(`Session ${id} already has a record.`);
    const writer = await this.#openWriter(id, options);
    await writer.append({
      kind: 'header',
      format: 'vitrine-record',
      version: recordVersion,
      session_id: id,
      created_at: session.created_at,
    });
    await writer.append({ kind: 'session', session });
    return writer;
  }

  /** @throws RecordBusyError, RecordNotFoundError, RecordVersionError */
  async openWriter(id: string, options: WriterOptions = {}): Promise<RecordWriter> {
    const handle = await openUnpacked(this.path(id)).catch(async (error: unknown) => {
      throw errorCode(error) === 'ENOENT'
        ? new RecordNotFoundError(id, await findLeftoverFolder(sessionFolder(this.#dir, id)))
        : error;
    });
    try {
      const newer = await newerVersionOf(handle, (await handle.stat()).size);
      if (newer !== null) throw new RecordVersionError(id, newer);
    } finally {
      await handle.close();
    }
    return await this.#openWriter(id, options);
  }

  /** @throws RecordNotFoundError */
  async openReader(id: string): Promise<RecordReader> {
    return await FileRecordReader.open(id, sessionFolder(this.#dir, id), this.#deps.clock);
  }

  /**
   * Permanently deletes the session's files, atomically for lists. `before` is called once no one else can write.
   * @throws RecordBusyError if there is a writer, file system errors, errors of `before`
   */
  async remove(id: string, before: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const folder = sessionFolder(this.#dir, id);
    const stats = await lstat(folder).catch(() => null);
    this.#listedRecords.delete(id);
    if (stats === null) return;
    if (!stats.isDirectory()) {
      // Removes a link, which leads out of the store, but not its target.
      await before();
      await unlink(folder);
      return;
    }
    const lease = await WriterLease.acquire(folder, id, this.#deps.clock);
    try {
      await before();
      const folderToDelete = `${folder}${doomedSuffix}`;
      // Some systems cannot rename open files; then whatever can be deleted is deleted one by one.
      const moved = await rename(folder, folderToDelete).then(
        () => true,
        () => false,
      );
      await rm(moved ? folderToDelete : folder, { recursive: true, force: true });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** Completes interrupted deletions. Never rejects. */
  async finishRemovals(): Promise<void> {
    const names = await readdir(sessionsFolder(this.#dir)).catch(() => []);
    for (const name of names.filter((candidate) => candidate.endsWith(doomedSuffix))) {
      await rm(path.join(sessionsFolder(this.#dir), name), { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Compresses the agent's output. @throws RecordBusyError if there is a writer, file system errors */
  async pack(id: string): Promise<PackedFile> {
    // Called for all old sessions when a window starts, so no lease is taken if there is nothing to do.
    return (await arePacked(sessionFolder(this.#dir, id))) ? nothingPacked : await this.#withLease(id, packRuns);
  }

  /** Compresses the record, which stays readable and is unpacked before writing. @throws as `pack` */
  async archive(id: string): Promise<PackedFile> {
    if (await isPacked(sessionFolder(this.#dir, id))) return nothingPacked;
    return await this.#withLease(id, (folder) => packRecord(folder, id));
  }

  /** Unpacks all files, for users who read them directly. @throws as `pack` */
  unpack(id: string): Promise<void> {
    return this.#withLease(id, async (folder) => {
      await unpackRuns(folder);
      await unpackRecord(folder);
    });
  }

  /** The record's file; need not exist. @throws if `id` is not a session id */
  path(id: string): string {
    return recordFile(sessionFolder(this.#dir, id));
  }

  async #withLease<T>(id: string, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = sessionFolder(this.#dir, id);
    const lease = await WriterLease.acquire(folder, id, this.#deps.clock);
    try {
      return await work(folder);
    } finally {
      await lease.release();
    }
  }

  async #openWriter(id: string, { onProblem }: WriterOptions): Promise<FileRecordWriter> {
    const folder = sessionFolder(this.#dir, id);
    const { clock, log } = this.#deps;
    const lease = await leaseFor(folder, id, clock);
    const reportProblem = (problem: WriteProblem) => {
      log.warn(`${problem.path} cannot be written (${problem.code}); the session continues in memory.`);
      onProblem?.(problem);
    };
    try {
      await unpackRecord(folder);
    } catch (error) {
      await lease?.release();
      throw error;
    }
    // Only the lease holder knows that nothing is appended now.
    const last = await lastHash(recordFile(folder)).catch(() => null);
    const writer = new FileRecordWriter({ id, folder, clock, onProblem: reportProblem }, lease, last);
    const at = new Date(clock()).toISOString();
    const missing = await missingEnd(folder, recordFile(folder), last, at).catch(() => null);
    if (missing !== null) await writer.append(missing);
    return writer;
  }

  async #listIds(): Promise<string[]> {
    const folders = await readdir(sessionsFolder(this.#dir), { withFileTypes: true }).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return folders
      .filter((folder) => folder.isDirectory() && sessionIdSchema.safeParse(folder.name).success)
      .map(nameOf);
  }

  /** `isOpen` only without a writer. `null` for a record that is about to be created. */
  async #read(id: string): Promise<ListedRecord | null> {
    const folder = sessionFolder(this.#dir, id);
    const { clock } = this.#deps;
    const record = await statRecord(folder).catch(async (error: unknown) => {
      if (errorCode(error) === 'ENOENT' && (await isCreating(folder, clock))) return null;
      throw error;
    });
    if (record === null || (record.size === 0 && (await hasWriter(folder, clock)))) return null;
    const { size, mtimeMs } = record;
    const known = this.#listedRecords.get(id);
    const listed =
      known?.mtimeMs === mtimeMs && known.size === size ? known : { ...(await readSummary(folder, id)), size, mtimeMs };
    this.#listedRecords.set(id, listed);
    if (!listed.isOpen && !listed.isDamaged) return listed;
    // An incomplete line is normal while there is a writer.
    if (await hasWriter(folder, clock)) return { ...listed, isOpen: false, isDamaged: false };
    // The writer may have finished since the record was read.
    const now = await statRecord(folder).catch(() => record);
    if (now.size !== size || now.mtimeMs !== mtimeMs) return await this.#read(id);
    if (!listed.isOpen) return listed;
    const outcome = listed.isRunOpen ? 'interrupted' : listed.summary.outcome;
    return { ...listed, summary: { ...listed.summary, status: 'stopped', outcome } };
  }
}

async function readSummary(folder: string, id: string): Promise<Omit<ListedRecord, 'size' | 'mtimeMs'>> {
  const opened = await openForList(folder);
  const { handle } = opened;
  try {
    const { size, mtime } = await handle.stat();
    const { state } = await readTail(handle, id, size, 0);
    const { turns, turnsOmitted: omitted, isOpen, isRunOpen } = state;
    const isDamaged = await hasDamagedEnd(opened, folder);
    return { summary: state.summary(mtime.toISOString()), turns, omitted, isOpen, isRunOpen, isDamaged };
  } finally {
    await handle.close();
  }
}

/** `null` if the folder is not writable; the writer takes the lease later. @throws RecordBusyError */
async function leaseFor(folder: string, id: string, clock: () => number): Promise<WriterLease | null> {
  try {
    await makeFolder(folder);
    return await WriterLease.acquire(folder, id, clock);
  } catch (error) {
    if (RecordBusyError.is(error)) throw error;
    return null;
  }
}

function nameOf({ name }: { name: string }): string {
  return name;
}
