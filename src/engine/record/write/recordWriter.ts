import { chmod, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { serializeRecordLine, type RecordLine } from '../../../formats/record.ts';
import type { Unrecorded } from '../../../model/session/result.ts';
import { Chain, chainStart } from '../chain/hashChain.ts';
import type { RawLog, RawStream, RecordWriter, WriteProblem } from '../contract.ts';
import { headFile, readHead, syncHead, writeHead } from '../chain/chainHead.ts';
import { rawFile, recordFile } from '../layout.ts';
import { RetryingFile } from './retryingFile.ts';
import { WriterLease } from './writerLease.ts';

/** Bytes that the hash link adds to a line. */
const linkLength = 76;

export interface FileWriterOptions {
  readonly id: string;
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Called when lines start to be kept in memory because they cannot be written. */
  readonly onProblem: (problem: WriteProblem) => void;
}

export class FileRecordWriter implements RecordWriter {
  readonly id: string;
  readonly #options: FileWriterOptions;
  readonly #record: RetryingFile;
  readonly #rawFiles = new Map<string, RetryingFile>();
  #lease: WriterLease | null;
  #isProblemReported = false;
  #firstProblem: WriteProblem | null = null;
  /** Unwritten bytes of closed raw logs. */
  #unwrittenClosedBytes = 0;

  readonly #chain: Chain;
  #savedHead: string | null = null;

  /** `lease`: `null` if the folder is not writable; it is taken later. `last`: hash of the last existing line. */
  constructor(options: FileWriterOptions, lease: WriterLease | null, last: string | null) {
    this.id = options.id;
    this.#options = options;
    this.#lease = lease;
    this.#chain = new Chain(last);
    this.#record = new RetryingFile({
      path: recordFile(options.folder),
      appendsLines: true,
      prepare: () => this.#prepare(),
      onSynced: () => this.#saveHead(),
      onProblem: (problem) => this.#reportProblem(problem),
      onRecoveredWithLoss: (lost) => void this.append(this.#makeLossLine('record_lines_lost', lost)),
    });
  }

  get hasMemoryOnlyLines(): boolean {
    return this.#record.problem !== null || [...this.#rawFiles.values()].some((file) => file.problem !== null);
  }

  get unrecorded(): Unrecorded | null {
    const files = [this.#record, ...this.#rawFiles.values()];
    const bytes = files.reduce((sum, { unwritten }) => sum + unwritten, this.#unwrittenClosedBytes);
    if (bytes === 0 || this.#firstProblem === null) return null;
    return { path: this.#firstProblem.path, code: this.#firstProblem.code, bytes };
  }

  append(line: RecordLine): Promise<void> {
    return this.appendAll([line]);
  }

  async appendAll(lines: readonly RecordLine[]): Promise<void> {
    if (lines.length === 0) return;
    const texts = lines.map(serializeRecordLine);
    const size = texts.reduce((sum, text) => sum + text.length + linkLength, 0);
    await this.#record.appendLazily(size, () => this.#chain.seal(texts));
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#rawFiles.values(), this.#record].map((file) => file.sync()));
    // A file restored after deletion needs its lease again.
    await this.#lease?.updateTime(this.#options.clock()).catch(() => this.#reacquireLease());
    if (!this.hasMemoryOnlyLines) this.#isProblemReported = false;
  }

  rawStream(runId: string, stream: RawStream): RawLog {
    const file = rawFile(this.#options.folder, runId, stream);
    const log =
      this.#rawFiles.get(file) ??
      new RetryingFile({
        path: file,
        appendsLines: false,
        onProblem: (problem) => this.#reportProblem(problem),
        onRecoveredWithLoss: (lost) =>
          void this.append(this.#makeLossLine('raw_output_lost', { run_id: runId, stream, ...lost })),
      });
    this.#rawFiles.set(file, log);
    return {
      write: (chunk) => log.append(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
      close: async () => {
        await log.close();
        if (log.problem !== null || !this.#rawFiles.delete(file)) return;
        this.#unwrittenClosedBytes += log.unwritten;
      },
    };
  }

  async close(): Promise<void> {
    await this.flush();
    await Promise.all([...this.#rawFiles.values(), this.#record].map((file) => file.close()));
    await this.#lease?.release({ isHeadSaved: await this.#isHeadDurable() });
    this.#lease = null;
  }

  /** A settled lease must not survive a power failure that the head does not survive. */
  async #isHeadDurable(): Promise<boolean> {
    const { head } = this.#chain;
    if (head === chainStart) return true;
    if (head !== this.#savedHead) return false;
    return await syncHead(this.#options.folder).then(
      () => true,
      () => false,
    );
  }

  async #prepare(): Promise<void> {
    const { folder, id, clock } = this.#options;
    await makeFolder(folder);
    this.#lease ??= await WriterLease.acquire(folder, id, clock);
  }

  async #reacquireLease(): Promise<void> {
    const { folder, id, clock } = this.#options;
    try {
      this.#lease = await WriterLease.acquire(folder, id, clock);
    } catch (error) {
      this.#reportProblem({
        path: folder,
        code: 'ELEASE',
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** Saves the hash of the last line next to the record, so that a removed end is detected. */
  async #saveHead(): Promise<void> {
    const { head, before } = this.#chain;
    if (head === chainStart) return;
    const { folder, clock } = this.#options;
    // The folder may have been deleted since the head was saved.
    const savedHead = await readHead(headFile(folder));
    if (savedHead?.hash !== head) {
      this.#savedHead = null;
      const at = new Date(clock()).toISOString();
      await writeHead(folder, { hash: head, at, ...(before !== null && { prev: before }) });
    }
    this.#savedHead = head;
  }

  #makeLossLine(type: string, lost: Readonly<Record<string, unknown>>): RecordLine {
    return { kind: 'decision', decision: { type, at: new Date(this.#options.clock()).toISOString(), ...lost } };
  }

  #reportProblem(problem: WriteProblem): void {
    this.#firstProblem ??= problem;
    if (this.#isProblemReported) return;
    this.#isProblemReported = true;
    this.#options.onProblem(problem);
  }
}

/** Private to the user, and flushed to disk if the system supports that. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700).catch(() => undefined);
  const parent = await open(path.dirname(folder), 'r').catch(() => null);
  await parent?.sync().catch(() => undefined);
  await parent?.close();
}
