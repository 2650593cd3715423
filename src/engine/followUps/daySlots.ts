import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../record/layout.ts';

const daysKept = 7;
const dayMs = 24 * 60 * 60_000;

/** Maximum number per day for one scope. */
export interface DayLimit {
  /** Used as a file name. */
  readonly scope: string;
  readonly limit: number;
}

/**
 * Limits how often something happens per day, across all processes on this machine. Each use is a file that only one
 * process can create. Within this process, the limit also holds for any 24 hours on a monotonic clock.
 */
export class DaySlots {
  readonly #folder: string;
  readonly #uptime: () => number;
  readonly #takenSlots: { readonly scope: string; readonly at: number }[] = [];

  /** `uptime`: monotonic milliseconds. */
  constructor(folder: string, uptime: () => number) {
    this.#folder = folder;
    this.#uptime = uptime;
  }

  async count(day: string, scope: string): Promise<number> {
    const files = await readdir(path.join(this.#folder, day)).catch(() => []);
    const count = files.filter((name) => name.slice(0, name.lastIndexOf('.')) === scope).length;
    return Math.max(count, this.#countRecent(scope));
  }

  /** Takes one slot of every limit, or none. @throws file system errors */
  async reserve(day: string, limits: readonly DayLimit[]): Promise<boolean> {
    const folder = path.join(this.#folder, day);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const created: string[] = [];
    for (const { scope, limit } of limits) {
      const file = this.#countRecent(scope) >= limit ? undefined : await firstFreeSlot(folder, scope, limit);
      if (file === undefined) {
        for (const createdFile of created) await rm(createdFile, { force: true });
        return false;
      }
      created.push(file);
    }
    const at = this.#uptime();
    this.#takenSlots.push(...limits.map(({ scope }) => ({ scope, at })));
    void this.#forgetOld(day);
    return true;
  }

  #countRecent(scope: string): number {
    const since = this.#uptime() - dayMs;
    while ((this.#takenSlots[0]?.at ?? Infinity) < since) this.#takenSlots.shift();
    return this.#takenSlots.filter((slot) => slot.scope === scope).length;
  }

  async #forgetOld(today: string): Promise<void> {
    const days = (await readdir(this.#folder).catch(() => [])).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
    const old = days
      .filter((day) => day < today)
      .sort()
      .slice(0, -daysKept);
    for (const day of old) await rm(path.join(this.#folder, day), { recursive: true, force: true });
  }
}

async function firstFreeSlot(folder: string, scope: string, limit: number): Promise<string | undefined> {
  for (let number = 1; number <= limit; number += 1) {
    const file = path.join(folder, `${scope}.${number}`);
    try {
      await writeFile(file, '', { flag: 'wx', mode: 0o600 });
      return file;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  return undefined;
}
