import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { jobSchema, takenSchema } from '../../coordinator/api.ts';
import type { Change } from '../../coordinator/coordinator.ts';
import type { Log } from '../api.ts';

const changeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('job'), job: jobSchema }),
  takenSchema.extend({ kind: z.literal('runner') }),
]);

/**
 * Every change of the queue, one JSON object per line: the next coordinator goes on from it, and a person reads in it who
 * claimed what, and when. Bounded by being written anew each time a coordinator begins.
 */
export class Journal {
  readonly #file: string;
  readonly #log: Log;
  #waiting = '';
  #written: Promise<void> = Promise.resolve();

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Lines that are damaged cost only themselves. */
  async read(): Promise<readonly Change[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    const read = lines.flatMap((line) => parse(line) ?? []);
    if (read.length < lines.length) this.#log.warn(`${lines.length - read.length} damaged lines in ${this.#file}.`);
    return read;
  }

  async rewrite(changes: readonly Change[]): Promise<void> {
    const next = `${this.#file}.new`;
    await writeFile(next, changes.map((change) => `${JSON.stringify(change)}\n`).join(''), { mode: 0o600 });
    await rename(next, this.#file);
  }

  add(change: Change): void {
    this.#waiting += `${JSON.stringify(change)}\n`;
  }

  /** Resolves when everything so far is out of this process, so that its end takes nothing back. */
  flush(): Promise<void> {
    this.#written = this.#written.then(async () => {
      if (this.#waiting === '') return;
      const text = this.#waiting;
      this.#waiting = '';
      try {
        await appendFile(this.#file, text, { mode: 0o600 });
      } catch (error) {
        this.#log.error(`The queue of runs cannot be kept: ${String(error)}`);
      }
    });
    return this.#written;
  }
}

function parse(line: string): Change | undefined {
  try {
    return changeSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
