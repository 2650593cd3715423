import { AppendFile } from './appendFile.ts';
import type { WriteProblem } from '../contract.ts';
import { errorCode } from '../layout.ts';

/** What waits in memory per file while it cannot be written. Beyond it nothing more is kept until it can. */
export const maxWaitingBytes = 64 * 1024 * 1024;

export interface RetryingFileOptions {
  readonly path: string;
  readonly lines: boolean;
  /** Before the file is opened, and again before each new attempt at that. May throw. */
  readonly prepare?: () => Promise<void>;
  /** After everything appended by now is durable; nothing is written meanwhile. May throw. */
  readonly onSynced?: () => Promise<void>;
  readonly onProblem: (problem: WriteProblem) => void;
  /** Once the file can be written again after more came than could be kept. */
  readonly onLost: (lost: { writes: number; bytes: number }) => void;
}

/** Between attempts to write what waits, in ms; doubled after each that fails. */
const firstRetryMs = 1000;
const lastRetryMs = 30_000;

/**
 * Appends in order, one write in flight, and survives a disk that does not take it: after a failed write everything is
 * kept in memory, and written as soon as the disk takes it again.
 */
export class RetryingFile {
  readonly #options: RetryingFileOptions;
  #file: AppendFile | null = null;
  #problem: WriteProblem | null = null;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = { writes: 0, bytes: 0 };
  /** Lost before the file could be written again. */
  #lostBefore = 0;
  #retryMs = firstRetryMs;
  #retry: NodeJS.Timeout | undefined;
  /** Jobs follow one another; none of them rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: RetryingFileOptions) {
    this.#options = options;
  }

  get problem(): WriteProblem | null {
    return this.#problem;
  }

  /** Bytes that were appended and are not in the file. */
  get unwritten(): number {
    return this.#waitingBytes + this.#lost.bytes + this.#lostBefore;
  }

  /** Resolves when the bytes are in the file, or kept. The buffer must not be changed by then. */
  append(bytes: Buffer): Promise<void> {
    return this.appendMade(bytes.length, () => bytes);
  }

  /** Bytes that are made in the order in which they are written, and only if they are kept. `size`: about how many. */
  appendMade(size: number, make: () => Buffer): Promise<void> {
    return this.#then(async () => {
      if (this.#problem === null) await this.#write(make);
      else if (this.#hasRoom(size)) this.#keep(make());
      else this.#lost = { writes: this.#lost.writes + 1, bytes: this.#lost.bytes + size };
    });
  }

  /** Catches up where needed, then makes the file durable. */
  sync(): Promise<void> {
    return this.#then(async () => {
      if (this.#problem !== null && !(await this.#catchUp())) return;
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
    await this.#then(async () => {
      clearTimeout(this.#retry);
      await this.#file?.close().catch(() => undefined);
      this.#file = null;
    });
  }

  #then(job: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(job);
    return this.#last;
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
    const { path, lines, prepare } = this.#options;
    await prepare?.();
    return await AppendFile.open(path, { lines });
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
      void this.#then(async () => {
        if (this.#problem !== null && !(await this.#catchUp())) this.#retryLater();
      });
    }, this.#retryMs).unref();
    this.#retryMs = Math.min(2 * this.#retryMs, lastRetryMs);
  }

  /** After the first loss nothing more is taken, so that what is kept has no hole in it. */
  #hasRoom(bytes: number): boolean {
    return this.#lost.writes === 0 && this.#waitingBytes + bytes <= maxWaitingBytes;
  }

  #keep(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  async #catchUp(): Promise<boolean> {
    const waiting = this.#waiting;
    let done = 0;
    try {
      this.#file ??= await this.#open();
      // The folder may have been deleted: what the handle still holds comes first.
      await this.#file.sync();
      for (let rest = waiting[0]; rest !== undefined; rest = waiting[done]) {
        while (rest.length > 0) {
          const taken: number = await this.#file.append(rest);
          rest = rest.subarray(taken);
          waiting[done] = rest;
          this.#waitingBytes -= taken;
        }
        done += 1;
      }
    } catch {
      this.#waiting = waiting.slice(done);
      return false;
    }
    this.#waiting = [];
    this.#problem = null;
    this.#retryMs = firstRetryMs;
    clearTimeout(this.#retry);
    const lost = this.#lost;
    this.#lost = { writes: 0, bytes: 0 };
    this.#lostBefore += lost.bytes;
    if (lost.writes > 0) this.#options.onLost(lost);
    return true;
  }
}
