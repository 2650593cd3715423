import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sessionIdSchema } from '../../../model/session/session.ts';
import type { Log } from '../../api.ts';
import { ownMark, stateOfMark } from '../../process/identity/holder.ts';

const callbackSchema = z.object({
  parent: sessionIdSchema,
  child: sessionIdSchema,
  /** Runs of the parent, where the newest was running when its process was closed: no person stopped it. */
  closed_in: z.int().optional(),
});
export type Callback = z.infer<typeof callbackSchema>;

/** Callbacks are renamed when a process takes them, so that one list can miss some. */
const maxLists = 3;
/** More are not looked at. */
const maxWaiting = 10_000;
/** Before the mark of the process that is about to tell. */
const takenSuffix = '.taken-';
/** Another machine cannot be asked whether its process lives. */
const foreignTakenMs = 24 * 3600_000;

/** Files that this process has taken: after a restart with the same pid, one with its mark may be an earlier life's. */
const takenHere = new Set<string>();

/**
 * Children whose results a parent still needs, each a file of the store. It exists from the start of the child until the
 * parent has the result, whatever happens to this process. Only one process sends each result.
 */
export class CallbackStore {
  readonly #folder: string;
  readonly #log: Log;

  constructor(storeDir: string, log: Log) {
    this.#folder = path.join(storeDir, 'callbacks');
    this.#log = log;
  }

  async expect(callback: Callback): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(this.#file(callback.child), JSON.stringify(callback), { mode: 0o600 });
  }

  /** The process of these parents closes: what they wait for says so. Never rejects. */
  async closing(parents: readonly { readonly session_id: string; readonly runs: number }[]): Promise<void> {
    const runs = new Map(parents.map((each) => [each.session_id, each.runs]));
    if (runs.size === 0) return;
    const theirs = (await this.waiting()).filter(({ parent }) => runs.has(parent));
    // What someone takes meanwhile is told.
    const taken = await this.take(theirs);
    for (const callback of taken) {
      await this.#rewrite({ ...callback, closed_in: runs.get(callback.parent) }).catch((error: unknown) =>
        this.#log.warn(`${callback.parent}: ${String(error)}`),
      );
    }
    await this.giveBack(taken);
  }

  /** What a process that is gone was about to tell waits again. @returns whether one that is there is about to tell */
  async recover(): Promise<boolean> {
    let beingTold = false;
    for (const name of await this.#names()) {
      const child = childOf(name);
      const [, mark] = name.split(takenSuffix);
      if (mark === undefined || !sessionIdSchema.safeParse(child).success) continue;
      if (await this.#isBeingTold(name, mark)) beingTold = true;
      else await rename(path.join(this.#folder, name), this.#file(child)).catch(() => undefined);
    }
    return beingTold;
  }

  /** Those that no one is telling of. */
  async waiting(): Promise<readonly Callback[]> {
    return this.#readAll((await this.#names()).filter((name) => sessionIdSchema.safeParse(name).success));
  }

  /** With those that someone is about to tell. */
  async untold(): Promise<readonly Callback[]> {
    const isCallback = (name: string): boolean => sessionIdSchema.safeParse(childOf(name)).success;
    const found = new Map<string, Callback>();
    for (let attempt = 0; attempt < maxLists; attempt += 1) {
      const names = (await this.#names()).filter((name) => isCallback(name) && !found.has(childOf(name)));
      const read = await this.#readAll(names);
      for (const callback of read) found.set(callback.child, callback);
      // One that could not be read was renamed, told or is broken: the next list shows which.
      if (read.length === names.length) break;
    }
    return [...found.values()];
  }

  /** @returns those that are this process's to tell of */
  async take(callbacks: readonly Callback[]): Promise<readonly Callback[]> {
    const taken: Callback[] = [];
    for (const callback of callbacks) {
      const file = await this.#taken(callback.child);
      takenHere.add(file);
      const mine = await rename(this.#file(callback.child), file).then(
        () => true,
        () => takenHere.delete(file) && false,
      );
      if (mine) taken.push(callback);
    }
    return taken;
  }

  async giveBack(taken: readonly Callback[]): Promise<void> {
    for (const { child } of taken) {
      const file = await this.#taken(child);
      await rename(file, this.#file(child)).catch(() => undefined);
      takenHere.delete(file);
    }
  }

  async delivered(taken: readonly Callback[]): Promise<void> {
    for (const { child } of taken) {
      const file = await this.#taken(child);
      await rm(file, { force: true });
      takenHere.delete(file);
    }
  }

  /** One that this process has taken. */
  async #rewrite(callback: Callback): Promise<void> {
    // Uses a temporary name until the file is complete.
    const part = path.join(this.#folder, `.${callback.child}`);
    await writeFile(part, JSON.stringify(callback), { mode: 0o600 });
    await rename(part, await this.#taken(callback.child));
  }

  async #readAll(names: readonly string[]): Promise<readonly Callback[]> {
    const read = await Promise.all(names.slice(0, maxWaiting).map((name) => this.#read(name)));
    return read.filter((each) => each !== null);
  }

  async #read(name: string): Promise<Callback | null> {
    const file = path.join(this.#folder, name);
    try {
      const callback = callbackSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      if (callback.child === childOf(name)) return callback;
      this.#log.warn(`${file} belongs to another session and was not used.`);
    } catch (error) {
      // Another process may have taken it meanwhile.
      this.#log.debug(`${file}: ${String(error)}`);
    }
    return null;
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  #file(child: string): string {
    return path.join(this.#folder, sessionIdSchema.parse(child));
  }

  async #taken(child: string): Promise<string> {
    return `${this.#file(child)}${takenSuffix}${await ownMark()}`;
  }

  async #isBeingTold(name: string, mark: string): Promise<boolean> {
    const file = path.join(this.#folder, name);
    if (mark === (await ownMark())) return takenHere.has(file);
    const state = await stateOfMark(mark);
    if (state !== 'elsewhere') return state === 'alive';
    // Taking renames the file, which changes its `ctime` alone.
    const since = (await stat(file).catch(() => null))?.ctimeMs ?? 0;
    return Date.now() - since < foreignTakenMs;
  }
}

function childOf(name: string): string {
  const [child = ''] = name.split(takenSuffix, 1);
  return child;
}
