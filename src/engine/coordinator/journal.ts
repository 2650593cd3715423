import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { jobSchema, type Job } from '../../coordinator/api.ts';
import type { Log } from '../api.ts';
import { LineSplitter, type LineOut } from '../output/lineSplitter.ts';
import { errorCode } from '../record/layout.ts';

/** Bytes, from which on it is written anew while it is in use, where it would shrink by that. */
const defaultBound = 64 << 20;
/** Bytes of a line; no run has as many. */
const maxLine = 16 << 20;
/** Characters that are written at a time. */
const chunkLength = 1 << 16;

/** Earlier versions wrote runners, too. A runner ends with the process that has the queue, so they are not read. */
const lineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('job'), job: jobSchema }),
  z.object({ kind: z.literal('runner') }),
]);

/**
 * Every change of the queue, one JSON object per line: the next coordinator continues from it, and a person reads in it who
 * claimed what, and when. Bounded by being written anew each time a coordinator begins, and where it has grown too long.
 */
export class Journal {
  readonly #file: string;
  readonly #log: Log;
  readonly #bound: number;
  #waiting = '';
  #written: Promise<void> = Promise.resolve();
  #bytes = 0;
  /** After it was last written anew. */
  #least = 0;
  #failing = false;

  constructor(file: string, log: Log, { bound = defaultBound } = {}) {
    this.#file = file;
    this.#log = log;
    this.#bound = bound;
  }

  /** Lines that are damaged cost only themselves. @throws file system errors; one that is not there is empty */
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
    this.#least = written.bytes;
  }

  add(job: Job): void {
    this.#waiting += lineOf(job);
  }

  /** Resolves when everything so far is out of this process, so that its end takes nothing back. `all`: what is known now. */
  flush(all: () => readonly Job[]): Promise<void> {
    this.#written = this.#written.then(() => this.#write(all));
    return this.#written;
  }

  /** What cannot be written now is written with what comes next. */
  async #write(all: () => readonly Job[]): Promise<void> {
    const text = this.#waiting;
    if (text === '') return;
    this.#waiting = '';
    const bytes = Buffer.byteLength(text);
    const isTooLong = this.#bytes + bytes > Math.max(this.#bound, 2 * this.#least);
    try {
      if (isTooLong) await this.rewrite(all());
      else await appendFile(this.#file, text, { mode: 0o600 });
      if (!isTooLong) this.#bytes += bytes;
      this.#failing = false;
    } catch (error) {
      // Of all that is known nothing has to be held here: the next attempt asks for it again.
      if (isTooLong) this.#bytes = Infinity;
      const again = isTooLong ? '' : text;
      // A part of it may be there: what comes next begins a line of its own.
      this.#waiting = `${again.startsWith('\n') ? '' : '\n'}${again}${this.#waiting}`;
      if (!this.#failing) this.#log.error(`The queue of runs cannot be saved: ${String(error)}`);
      this.#failing = true;
    }
  }
}

/** Many lines at a time. */
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

/** Those that hold something. */
async function* linesOf(file: string): AsyncGenerator<LineOut> {
  const splitter = new LineSplitter(maxLine);
  const holds = (line: LineOut): boolean => 'oversize' in line || line.text !== '';
  try {
    const bytes: AsyncIterable<Buffer> = createReadStream(file);
    for await (const chunk of bytes) yield* splitter.push(chunk).filter(holds);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  yield* splitter.end().filter(holds);
}

function lineOf(job: Job): string {
  return `${JSON.stringify({ kind: 'job', job })}\n`;
}

function parse(line: LineOut): z.infer<typeof lineSchema> | undefined {
  if (!('text' in line)) return undefined;
  try {
    return lineSchema.safeParse(JSON.parse(line.text)).data;
  } catch {
    return undefined;
  }
}
