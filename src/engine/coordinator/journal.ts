import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { jobSchema, type Job } from '../../coordinator/api.ts';
import type { Log } from '../api.ts';
import { LineSplitter, type SplitLine } from '../output/lineSplitter.ts';
import { errorCode } from '../record/layout.ts';

/** Size in bytes from which the journal is compacted while in use, if it has twice the needed size. */
const defaultBound = 64 << 20;
/** Maximum bytes of a line; no run needs as many. */
const maxLineBytes = 16 << 20;
/** Characters per write. */
const chunkLength = 1 << 16;

/** Earlier versions wrote runners, too. They are ignored, because runners register again with each process. */
const lineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('job'), job: jobSchema }),
  z.object({ kind: z.literal('runner') }),
]);

/**
 * Every change of the queue, one JSON object per line. The next coordinator continues from it, and it shows people who
 * claimed what, and when. Compacted when a coordinator starts, and when it is too long.
 */
export class Journal {
  readonly #file: string;
  readonly #log: Log;
  readonly #maxBytes: number;
  #unwrittenText = '';
  #pendingWrite: Promise<void> = Promise.resolve();
  #bytes = 0;
  /** Size in bytes after the last compaction. */
  #compactedBytes = 0;
  #isFailing = false;

  constructor(file: string, log: Log, { bound: maxBytes = defaultBound } = {}) {
    this.#file = file;
    this.#log = log;
    this.#maxBytes = maxBytes;
  }

  /** Skips damaged lines. A missing file is empty. @throws other file system errors */
  async read(): Promise<readonly Job[]> {
    const jobs: Job[] = [];
    let damaged = 0;
    for await (const line of linesOf(this.#file)) {
      const parsed = parse(line);
      if (parsed === undefined) damaged += 1;
      else if (parsed.kind === 'job') jobs.push(parsed.job);
    }
    if (damaged > 0) this.#log.warn(`${damaged} damaged lines in ${this.#file}.`);
    return jobs;
  }

  /** @throws file system errors */
  async rewrite(jobs: readonly Job[]): Promise<void> {
    const next = `${this.#file}.new`;
    const written = { bytes: 0 };
    await pipeline(Readable.from(textsOf(jobs, written)), createWriteStream(next, { mode: 0o600 }));
    await rename(next, this.#file);
    this.#bytes = written.bytes;
    this.#compactedBytes = written.bytes;
  }

  add(job: Job): void {
    this.#unwrittenText += lineOf(job);
  }

  /**
   * Resolves when all changes so far are written, so that they survive the end of this process. `all`: all current
   * jobs.
   */
  flush(all: () => readonly Job[]): Promise<void> {
    this.#pendingWrite = this.#pendingWrite.then(() => this.#write(all));
    return this.#pendingWrite;
  }

  /** If writing fails, the next write includes these lines. */
  async #write(all: () => readonly Job[]): Promise<void> {
    const text = this.#unwrittenText;
    if (text === '') return;
    this.#unwrittenText = '';
    const bytes = Buffer.byteLength(text);
    const isTooLong = this.#bytes + bytes > Math.max(this.#maxBytes, 2 * this.#compactedBytes);
    try {
      if (isTooLong) await this.rewrite(all());
      else await appendFile(this.#file, text, { mode: 0o600 });
      if (!isTooLong) this.#bytes += bytes;
      this.#isFailing = false;
    } catch (error) {
      // A compaction needs no buffer: the next attempt gets all jobs again.
      if (isTooLong) this.#bytes = Infinity;
      const again = isTooLong ? '' : text;
      // A part of the text may have been written, so the next write starts a new line.
      this.#unwrittenText = `${again.startsWith('\n') ? '' : '\n'}${again}${this.#unwrittenText}`;
      if (!this.#isFailing) this.#log.error(`The queue of runs cannot be saved: ${String(error)}`);
      this.#isFailing = true;
    }
  }
}

/** Chunks of many lines. */
function* textsOf(jobs: readonly Job[], written: { bytes: number }): Generator<Buffer> {
  let text = '';
  const take = (): Buffer => {
    const bytes = Buffer.from(text);
    written.bytes += bytes.length;
    text = '';
    return bytes;
  };
  for (const job of jobs) {
    text += lineOf(job);
    if (text.length >= chunkLength) yield take();
  }
  if (text !== '') yield take();
}

/** Lines that are not empty. */
async function* linesOf(file: string): AsyncGenerator<SplitLine> {
  const splitter = new LineSplitter(maxLineBytes);
  const hasContent = (line: SplitLine): boolean => 'oversize' in line || line.text !== '';
  try {
    const bytes: AsyncIterable<Buffer> = createReadStream(file);
    for await (const chunk of bytes) yield* splitter.push(chunk).filter(hasContent);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  yield* splitter.end().filter(hasContent);
}

function lineOf(job: Job): string {
  return `${JSON.stringify({ kind: 'job', job })}\n`;
}

function parse(line: SplitLine): z.infer<typeof lineSchema> | undefined {
  if (!('text' in line)) return undefined;
  try {
    return lineSchema.safeParse(JSON.parse(line.text)).data;
  } catch {
    return undefined;
  }
}
