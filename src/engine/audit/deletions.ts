import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LineOf } from '../../formats/record.ts';
import type { Log } from '../api.ts';
import { lastHash } from '../record/chain/hashChain.ts';
import { RecordBusyError } from '../record/errors.ts';
import { recordFile } from '../record/layout.ts';
import { readLines } from '../record/read/tail.ts';
import { FileRecordWriter, makeFolder } from '../record/write/recordWriter.ts';
import { WriterLease } from '../record/write/writerLease.ts';

type Decision = LineOf<'decision'>['decision'];

/** `user`: the user deleted this session. `retention`: it exceeded the retention period and the user agreed. */
export type DeletionReason = 'user' | 'retention';

/** What remains of a permanently deleted session: identity and size, no messages. */
export interface Deletion {
  readonly session_id: string;
  readonly reason: DeletionReason;
  readonly agent: string | null;
  readonly host: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly runs: number | null;
  readonly entries: number | null;
  /** Size of the record. */
  readonly bytes: number | null;
  /** Hash of the record's last line. */
  readonly head: string | null;
}

interface DeletionsDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

const busyMs = 100;
const busyTries = 50;

/** Log of deleted sessions with its own hash chain, in `deleted/record.jsonl`. It is never deleted itself. */
export class Deletions {
  readonly #folder: string;
  readonly #deps: DeletionsDeps;

  constructor(storeDir: string, deps: DeletionsDeps) {
    this.#folder = path.join(storeDir, 'deleted');
    this.#deps = deps;
  }

  get file(): string {
    return recordFile(this.#folder);
  }

  /**
   * Logs a deletion. `remove` calls its argument right before it deletes anything. If the disk is full, the deletion
   * continues and is logged afterwards.
   */
  async logDeletion(deletion: Deletion, remove: (before: () => Promise<void>) => Promise<void>): Promise<void> {
    const writer = await this.#openWriter();
    const at = (): string => new Date(this.#deps.clock()).toISOString();
    const note = (decision: Decision) => writer.append({ kind: 'decision', decision });
    const deletions: Deletion[] = [];
    try {
      await remove(async () => {
        deletions.push(deletion);
        await note({ type: 'deletion', at: at(), ...deletion });
        await writer.flush();
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (deletions.length > 0) await note({ type: 'deletion_failed', at: at(), session_id: deletion.session_id, why });
      throw error;
    } finally {
      await writer.close();
      if (writer.hasMemoryOnlyLines)
        this.#deps.log.warn(`The deletion of ${deletion.session_id} could not be recorded.`);
    }
  }

  /** Oldest first. @throws file system errors */
  async list(): Promise<Decision[]> {
    const bytes = await readFile(this.file).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    const lines = readLines(bytes, 0, true).flatMap(({ found }) => found);
    return lines.flatMap(({ line }) => (line?.kind === 'decision' ? [line.decision] : []));
  }

  /** Waits while another process writes the log. @throws RecordBusyError, file system errors */
  async #openWriter(): Promise<FileRecordWriter> {
    const { clock, log } = this.#deps;
    const id = 'deleted';
    for (let maxAttempts = 1; ; maxAttempts += 1) {
      try {
        const lease = await makeFolder(this.#folder).then(
          () => WriterLease.acquire(this.#folder, id, clock),
          () => null,
        );
        const last = await lastHash(this.file).catch(() => null);
        const onProblem = ({ path: where, code }: { path: string; code: string }): void =>
          log.warn(`${where} cannot be written (${code}).`);
        return new FileRecordWriter({ id, folder: this.#folder, clock, onProblem }, lease, last);
      } catch (error) {
        if (!RecordBusyError.is(error) || maxAttempts === busyTries) throw error;
        await delay(busyMs);
      }
    }
  }
}
