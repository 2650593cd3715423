import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sessionIdSchema } from '../../../model/session/session.ts';
import type { Log } from '../../api.ts';
import { ownProcessMark, stateOfMark } from '../../process/identity/holder.ts';

const callbackSchema = z.object({
  parent: sessionIdSchema,
  child: sessionIdSchema,
  /** Number of runs of the parent, if closing its process ended the newest one, so that no person stopped it. */
  closed_in: z.int().optional(),
});
export type Callback = z.infer<typeof callbackSchema>;

/** Number of listings: a process renames the callbacks that it takes, so a single listing can miss some. */
const maxLists = 3;
/** Maximum number of callbacks to read. */
const maxWaiting = 10_000;
/** Precedes the mark of the process that is sending the callback. */
const takenSuffix = '.taken-';
/** Time after which a callback taken on another machine counts as abandoned, because its process cannot be checked. */
const foreignTakenMs = 24 * 3600_000;

/** Files that this process has taken. Other files with its mark are from an earlier process with the same pid. */
const filesTakenHere = new Set<string>();

/**
 * Pending callbacks, one file per child. The file exists from the start of the child until the parent has the result,
 * even if this process ends. Only one process sends each result.
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
    await writeFile(this.#fileOf(callback.child), JSON.stringify(callback), { mode: 0o600 });
  }

  /** Notes in the callbacks of these parents that the process of the parents is closing. Never rejects. */
  async closing(parents: readonly { readonly session_id: string; readonly runs: number }[]): Promise<void> {
    const runs = new Map(parents.map((parent) => [parent.session_id, parent.runs]));
    if (runs.size === 0) return;
    const pending = (await this.readWaiting()).filter(({ parent }) => runs.has(parent));
    // Another process sends those that it takes meanwhile.
    const taken = await this.claim(pending);
    for (const callback of taken) {
      await this.#rewrite({ ...callback, closed_in: runs.get(callback.parent) }).catch((error: unknown) =>
        this.#log.warn(`${callback.parent}: ${String(error)}`),
      );
    }
    await this.release(taken);
  }

  /**
   * Releases the callbacks that processes which have ended had taken. @returns whether a running process has taken any
   */
  async recover(): Promise<boolean> {
    let isAnyTaken = false;
    for (const name of await this.#fileNames()) {
      const child = childOf(name);
      const [, mark] = name.split(takenSuffix);
      if (mark === undefined || !sessionIdSchema.safeParse(child).success) continue;
      if (await this.#isTaken(name, mark)) isAnyTaken = true;
      else await rename(path.join(this.#folder, name), this.#fileOf(child)).catch(() => undefined);
    }
    return isAnyTaken;
  }

  /** Callbacks that no process has taken. */
  async readWaiting(): Promise<readonly Callback[]> {
    return this.#readAll((await this.#fileNames()).filter((name) => sessionIdSchema.safeParse(name).success));
  }

  /** All callbacks, including those that a process has taken. */
  async pending(): Promise<readonly Callback[]> {
    const isCallback = (name: string): boolean => sessionIdSchema.safeParse(childOf(name)).success;
    const found = new Map<string, Callback>();
    for (let attempt = 0; attempt < maxLists; attempt += 1) {
      const names = (await this.#fileNames()).filter((name) => isCallback(name) && !found.has(childOf(name)));
      const read = await this.#readAll(names);
      for (const callback of read) found.set(callback.child, callback);
      // A callback that could not be read was renamed, sent or is damaged: the next listing shows which.
      if (read.length === names.length) break;
    }
    return [...found.values()];
  }

  /** @returns the callbacks that this process has taken and must send */
  async claim(callbacks: readonly Callback[]): Promise<readonly Callback[]> {
    const taken: Callback[] = [];
    for (const callback of callbacks) {
      const file = await this.#takenFile(callback.child);
      filesTakenHere.add(file);
      const isTaken = await rename(this.#fileOf(callback.child), file).then(
        () => true,
        () => filesTakenHere.delete(file) && false,
      );
      if (isTaken) taken.push(callback);
    }
    return taken;
  }

  async release(taken: readonly Callback[]): Promise<void> {
    for (const { child } of taken) {
      const file = await this.#takenFile(child);
      await rename(file, this.#fileOf(child)).catch(() => undefined);
      filesTakenHere.delete(file);
    }
  }

  async remove(taken: readonly Callback[]): Promise<void> {
    for (const { child } of taken) {
      const file = await this.#takenFile(child);
      await rm(file, { force: true });
      filesTakenHere.delete(file);
    }
  }

  /** Rewrites a callback that this process has taken. */
  async #rewrite(callback: Callback): Promise<void> {
    // Uses a temporary name until the file is complete.
    const part = path.join(this.#folder, `.${callback.child}`);
    await writeFile(part, JSON.stringify(callback), { mode: 0o600 });
    await rename(part, await this.#takenFile(callback.child));
  }

  async #readAll(names: readonly string[]): Promise<readonly Callback[]> {
    const read = await Promise.all(names.slice(0, maxWaiting).map((name) => this.#read(name)));
    return read.filter((callback) => callback !== null);
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

  async #fileNames(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  #fileOf(child: string): string {
    return path.join(this.#folder, sessionIdSchema.parse(child));
  }

  async #takenFile(child: string): Promise<string> {
    return `${this.#fileOf(child)}${takenSuffix}${await ownProcessMark()}`;
  }

  async #isTaken(name: string, mark: string): Promise<boolean> {
    const file = path.join(this.#folder, name);
    if (mark === (await ownProcessMark())) return filesTakenHere.has(file);
    const state = await stateOfMark(mark);
    if (state !== 'elsewhere') return state === 'alive';
    // Taking a callback renames its file, which changes only its `ctime`.
    const since = (await stat(file).catch(() => null))?.ctimeMs ?? 0;
    return Date.now() - since < foreignTakenMs;
  }
}

function childOf(name: string): string {
  const [child = ''] = name.split(takenSuffix, 1);
  return child;
}
