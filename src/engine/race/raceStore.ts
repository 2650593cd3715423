import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { raceSchema, type Race } from '../../model/race/race.ts';
import { raceIdSchema } from '../../model/session/session.ts';
import type { Log } from '../api.ts';
import { ownProcessMark, stateOfMark } from '../process/identity/holder.ts';
import { raceFailures } from './failures.ts';

const temporary = 'tmp-';

/**
 * A file and a folder per race, in `races` of the store. The file names every worktree and branch before it is made, so that
 * nothing is left unknown, whenever the process dies.
 */
export class RaceStore {
  readonly #dir: string;
  readonly #log: Pick<Log, 'warn'>;

  constructor(storeDir: string, log: Pick<Log, 'warn'>) {
    this.#dir = path.join(storeDir, 'races');
    this.#log = log;
  }

  /** Folder with the worktrees of a race, unless the user chose another. */
  folder(id: string): string {
    return path.join(this.#dir, raceIdSchema.parse(id));
  }

  /** Atomic, even if this process dies. */
  async write(race: Race): Promise<void> {
    const file = this.#fileOf(race.race_id);
    const part = `${file}.${randomBytes(4).toString('hex')}.part`;
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    try {
      await writeFile(part, JSON.stringify(race), { mode: 0o600, flush: true });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** @throws EngineFailure */
  async read(id: string): Promise<Race> {
    const race = raceIdSchema.safeParse(id).success ? await this.#read(`${id}.json`) : undefined;
    if (race === undefined) throw raceFailures.raceMissing(id);
    return race;
  }

  /** Newest first. Reports files that are damaged. */
  async list(): Promise<Race[]> {
    const names = await readdir(this.#dir).catch(() => []);
    const all = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name)));
    return all.filter((race) => race !== undefined).sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  }

  async remove(id: string): Promise<void> {
    await rm(this.folder(id), { recursive: true, force: true });
    await rm(this.#fileOf(id), { force: true });
    const names = await readdir(this.#dir).catch(() => []);
    // Remove unfinished files of killed processes.
    for (const name of names) {
      const mark = name.startsWith(temporary) ? name.slice(temporary.length, name.lastIndexOf('.')) : undefined;
      const isLeft = mark === undefined ? name.startsWith(`${id}.json.`) : (await stateOfMark(mark)) === 'gone';
      if (isLeft) await rm(path.join(this.#dir, name), { recursive: true, force: true });
    }
  }

  /** A folder for temporary files, deleted afterwards. */
  async withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(path.join(this.#dir, `${temporary}${await ownProcessMark()}.`));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#dir, `${id}.json`);
  }

  async #read(name: string): Promise<Race | undefined> {
    const file = path.join(this.#dir, name);
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) return undefined;
    try {
      return raceSchema.parse(JSON.parse(text));
    } catch (error) {
      this.#log.warn(`${file} is damaged: ${String(error)}`);
      return undefined;
    }
  }
}
