import { AppendFile } from './appendFile.ts';
import type { WriteProblem } from '../contract.ts';
import { errorCode } from '../layout.ts';

/** Maximum bytes kept in memory per file while it cannot be written. Further data is lost. */
export const maxWaitingBytes = 64 * 1024 * 1024;

export interface RetryingFileOptions {
  readonly path: string;
  readonly appendsLines: boolean;
  /** Called before opening the file, and before each retry. May throw. */
  readonly prepare?: () => Promise<void>;
  /** Called when all appended data is durable; blocks writing meanwhile. May throw. */
  readonly onSynced?: () => Promise<void>;
  readonly onProblem: (problem: WriteProblem) => void;
  /** Called when the file is writable again after data was lost. */
  readonly onRecoveredWithLoss: (lost: { writes: number; bytes: number }) => void;
}

/** Delay before the first retry in ms; doubled after each failure. */
const firstRetryMs = 1000;
const lastRetryMs = 30_000;

/**
 * Appends in order, one write at a time. After a failed write, keeps data in memory and retries until the disk accepts
 * it.
 */
export class RetryingFile {
  readonly #options: RetryingFileOptions;
  #file: AppendFile | null = null;
  #problem: WriteProblem | null = null;
  #pendingWrites: Buffer[] = [];
  #pendingBytes = 0;
  #currentLoss = { writes: 0, bytes: 0 };
  /** Lost before the file became writable again. */
  #earlierLostBytes = 0;
  #retryMs = firstRetryMs;
  #retry: NodeJS.Timeout | undefined;
  /** Serializes jobs; none of them rejects. */
  #lastJob: Promise<void> = Promise.resolve();

  constructor(options: RetryingFileOptions) {
    this.#options = options;
  }

  get problem(): WriteProblem | null {
    return this.#problem;
  }

  /** Appended bytes that are not in the file. */
  get unwritten(): number {
    return this.#pendingBytes + this.#currentLoss.bytes + this.#earlierLostBytes;
  }

  /** Resolves when the bytes are in the file or kept. Do not modify the buffer until then. */
  append(bytes: Buffer): Promise<void> {
    return this.appendLazily(bytes.length, () => bytes);
  }

  /** Appends bytes created at the time of writing, and only if they are kept. `size`: estimated size. */
  appendLazily(size: number, make: () => Buffer): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#problem === null) await this.#write(make);
      else if (this.#hasRoom(size)) this.#keep(make());
      else this.#currentLoss = { writes: this.#currentLoss.writes + 1, bytes: this.#currentLoss.bytes + size };
    });
  }

  /** Writes what is pending, then flushes to disk. */
  sync(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#problem !== null && !(await this.#writePending())) return;
      try {
        await this.#file?.sync();
        await this.#options.onSynced?.().catch(() => undefined);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#enqueue(async () => {
      clearTimeout(this.#retry);
      await this.#file?.close().catch(() => undefined);
      this.#file = null;
    });
  }

  #enqueue(job: () => Promise<void>): Promise<void> {
    this.#lastJob = this.#lastJob.then(job);
    return this.#lastJob;
  }

  async #write(make: () => Buffer): Promise<void> {
    let rest: Buffer | null = null;
    try {
      this.#file ??= await this.#open();
      rest = make();
      while (rest.length > 0) rest = rest.subarray(await this.#file.append(rest));
    } catch (error) {
      this.#fail(error);
      this.#keep(rest ?? make());
    }
  }

  async #open(): Promise<AppendFile> {
    const { path, appendsLines, prepare } = this.#options;
    await prepare?.();
    return await AppendFile.open(path, { appendsLines });
  }

  #fail(error: unknown): void {
    if (this.#problem !== null) return;
    this.#problem = {
      path: this.#options.path,
      code: errorCode(error),
      message: error instanceof Error ? error.message : String(error),
    };
    this.#options.onProblem(this.#problem);
    this.#retryLater();
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      void this.#enqueue(async () => {
        if (this.#problem !== null && !(await this.#writePending())) this.#retryLater();
      });
    }, this.#retryMs).unref();
    this.#retryMs = Math.min(2 * this.#retryMs, lastRetryMs);
  }

  /** After the first loss, nothing more is kept, so that the kept data has no gap. */
  #hasRoom(bytes: number): boolean {
    return this.#currentLoss.writes === 0 && this.#pendingBytes + bytes <= maxWaitingBytes;
  }

  #keep(bytes: Buffer): void {
    this.#pendingWrites.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  async #writePending(): Promise<boolean> {
    const waiting = this.#pendingWrites;
    let done = 0;
    try {
      this.#file ??= await this.#open();
      // The folder may have been deleted: restore the handle's content first.
      await this.#file.sync();
      for (let rest = waiting[0]; rest !== undefined; rest = waiting[done]) {
        while (rest.length > 0) {
          const taken: number = await this.#file.append(rest);
          rest = rest.subarray(taken);
          waiting[done] = rest;
          this.#pendingBytes -= taken;
        }
        done += 1;
      }
    } catch {
      this.#pendingWrites = waiting.slice(done);
      return false;
    }
    this.#pendingWrites = [];
    this.#problem = null;
    this.#retryMs = firstRetryMs;
    clearTimeout(this.#retry);
    const lost = this.#currentLoss;
    this.#currentLoss = { writes: 0, bytes: 0 };
    this.#earlierLostBytes += lost.bytes;
    if (lost.writes > 0) this.#options.onRecoveredWithLoss(lost);
    return true;
  }
}
