import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { boundSchema, type Bound } from '../../model/usage/budget.ts';
import { writeWhole } from '../files/writeFiles.ts';

/** The oldest are dropped first: most belong to past days and runs. */
const maxRaises = 1000;

const fileSchema = z.object({ version: z.literal(1), raises: z.array(boundSchema) });

/** Limits that the user raised, each for one scope. Shared by all processes in a file next to the sessions. */
export class RaisedLimits {
  readonly #file: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(storeDir: string) {
    this.#file = path.join(storeDir, 'budgets.json');
  }

  /** Empty if the file is missing or damaged; then the settings apply. */
  async all(): Promise<readonly Bound[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    try {
      return fileSchema.parse(JSON.parse(text)).raises;
    } catch {
      return [];
    }
  }

  /** @throws EngineFailure if the file cannot be written */
  add(raise: Bound): Promise<void> {
    const done = this.#last.then(async () => {
      const isOther = ({ scope, unit, key }: Bound): boolean =>
        scope !== raise.scope || unit !== raise.unit || key !== raise.key;
      const all = await this.all();
      const before = all.find((status) => !isOther(status))?.limit ?? 0;
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      // A raise based on an outdated limit must not lower it.
      const raises = [...all.filter(isOther), { ...raise, limit: Math.max(raise.limit, before) }].slice(-maxRaises);
      await writeWhole(this.#file, [JSON.stringify({ version: 1, raises }, undefined, 2), '\n']);
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
