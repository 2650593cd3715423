import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { boundSchema, type Bound } from '../../model/budget.ts';
import { writeWhole } from '../wholeFile.ts';

/** Older ones go first: most are of days and runs that are over. */
const mostKept = 1000;

const fileSchema = z.object({ version: z.literal(1), raises: z.array(boundSchema) });

/** Limits that a person raised, each for one thing that it counts; for all windows, in a file beside the sessions. */
export class Raises {
  readonly #file: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(storeDir: string) {
    this.#file = path.join(storeDir, 'budgets.json');
  }

  /** None where the file is missing or damaged: limits then are what the settings say. */
  async all(): Promise<readonly Bound[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    try {
      return fileSchema.parse(JSON.parse(text)).raises;
    } catch {
      return [];
    }
  }

  /** @throws EngineFailure where it cannot be written */
  add(raise: Bound): Promise<void> {
    const done = this.#last.then(async () => {
      const others = (await this.all()).filter(
        ({ scope, unit, key }) => scope !== raise.scope || unit !== raise.unit || key !== raise.key,
      );
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      const raises = [...others, raise].slice(-mostKept);
      await writeWhole(this.#file, [JSON.stringify({ version: 1, raises }, undefined, 2), '\n']);
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
