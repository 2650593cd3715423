import { randomBytes } from 'node:crypto';
import { link, open, readdir, readFile, stat, unlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { stateOfHolder, thisMachine } from '../../process/identity/holder.ts';
import { ownIdentity } from '../../process/identity/identity.ts';
import { RecordBusyError, type LeaseHolder } from '../errors.ts';
import { errorCode } from '../layout.ts';
import { renameOver } from '../renameOver.ts';

const leaseSchema = z.object({
  pid: z.number().int(),
  startTime: z.string().nullable(),
  hostname: z.string(),
  machine: z.string().optional(),
  at: z.string(),
  released: z.boolean().default(false),
  /** Whether `record.head` refers to the last line. False after a crash or if the disk was full. */
  settled: z.boolean().default(true),
});

/** Time without a flush after which a lease of another machine expires, because it cannot be checked. */
const foreignLeaseMs = 24 * 3600_000;

/**
 * On file systems without links, an empty lease is about to be written, or its writer died. Later versions may use
 * other holder fields.
 */
const emptyLeaseMs = 5_000;

const leaseName = /^writer\.(\d{1,15})\.json$/;

/**
 * The right to write one record. The file with the highest number counts, and numbers only grow: taking over means
 * creating the next one, which only one process can do. A released lease stays and is marked as released.
 */
export class WriterLease {
  readonly #file: string;
  readonly #holder: LeaseHolder;
  /** Whether the previous writer saved its head. */
  readonly #wasHeadSaved: boolean;

  private constructor(file: string, holder: LeaseHolder, wasHeadSaved: boolean) {
    this.#file = file;
    this.#holder = holder;
    this.#wasHeadSaved = wasHeadSaved;
  }

  /** @throws RecordBusyError while there is another writer, file system errors */
  static async acquire(folder: string, sessionId: string, clock: () => number): Promise<WriterLease> {
    const holder: LeaseHolder = {
      ...(await ownIdentity()),
      ...(await thisMachine()),
      at: new Date(clock()).toISOString(),
    };
    for (;;) {
      const newest = await newestLease(folder);
      const state = newest === 0 ? null : await stateOf(leaseFile(folder, newest), clock);
      if (state?.isLive === true) throw new RecordBusyError(sessionId, state.holder);
      const number = newest + 1;
      const file = leaseFile(folder, number);
      if (!(await create(file, JSON.stringify(holder)))) continue;
      // A slow process may have created an outdated number.
      if ((await newestLease(folder)) === number) {
        await unlinkOlder(folder, number);
        return new WriterLease(file, holder, state?.isReleased === true);
      }
      await unlink(file).catch(ignore);
    }
  }

  /** Updates the lease's time. @throws if the lease is gone */
  async updateTime(at: number): Promise<void> {
    await utimes(this.#file, at / 1000, at / 1000);
  }

  /** `isHeadSaved`: whether `record.head` refers to the last line; default: as before. */
  async release({ isHeadSaved = this.#wasHeadSaved }: { readonly isHeadSaved?: boolean } = {}): Promise<void> {
    const next = `${this.#file}.released`;
    const lease = { ...this.#holder, released: true, ...(!isHeadSaved && { settled: false }) };
    try {
      const text = JSON.stringify(lease);
      const handle = await open(next, 'w', 0o600);
      await handle.writeFile(text).finally(() => handle.close());
      await renameOver(next, this.#file).catch(() => this.#overwrite(text, next));
    } catch {
      // The folder is gone or not writable: the lease ends with this process.
    }
  }

  /** Windows cannot replace open files. `text` is longer than the lease, so readers never see an empty file. */
  async #overwrite(text: string, unused: string): Promise<void> {
    const handle = await open(this.#file, 'r+');
    await handle.write(text, 0).finally(() => handle.close());
    await unlink(unused).catch(ignore);
  }
}

/** Whether the record in this folder has a writer. */
export async function hasWriter(folder: string, clock: () => number): Promise<boolean> {
  const newest = await newestLease(folder);
  return newest !== 0 && (await stateOf(leaseFile(folder, newest), clock)).isLive;
}

/**
 * Whether a new record is about to get its first line: its creator makes the folder and takes the lease first.
 * @throws file system errors
 */
export async function isCreating(folder: string, clock: () => number): Promise<boolean> {
  if (await hasWriter(folder, clock)) return true;
  const [created, inside] = await Promise.all([stat(folder), readdir(folder)]);
  return inside.every(isUnfinished) && clock() - created.mtimeMs < emptyLeaseMs;
}

/**
 * Number of the newest lease if it was released and `record.head` refers to the last line; otherwise `null`. The same
 * number twice means that nothing was written in between.
 */
export async function settledLease(folder: string): Promise<number | null> {
  const newest = await newestLease(folder);
  if (newest === 0) return null;
  return (await stateOf(leaseFile(folder, newest), () => 0)).isReleased ? newest : null;
}

interface LeaseState {
  readonly isLive: boolean;
  readonly holder: LeaseHolder | null;
  readonly isReleased: boolean;
}

async function stateOf(file: string, clock: () => number): Promise<LeaseState> {
  let age: number;
  let text: string;
  try {
    age = clock() - (await stat(file)).mtimeMs;
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { isLive: false, holder: null, isReleased: false };
    throw error;
  }
  const written = parse(text);
  const lease = leaseSchema.safeParse(written);
  // A damaged lease names no writer, however new it is. Otherwise nothing would report the record's losses.
  const mayBeLive = text === '' || written !== undefined;
  if (!lease.success) return { isLive: mayBeLive && age < emptyLeaseMs, holder: null, isReleased: false };
  const { released, settled: isReleased, ...holder } = lease.data;
  if (released) return { isLive: false, holder, isReleased };
  const is = await stateOfHolder(holder);
  return { isLive: is === 'elsewhere' ? age < foreignLeaseMs : is === 'alive', holder, isReleased: false };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leaseFile(folder: string, number: number): string {
  return path.join(folder, `writer.${number}.json`);
}

/** 0 if there is none. */
async function newestLease(folder: string): Promise<number> {
  return Math.max(0, ...(await leaseNumbers(folder)));
}

async function leaseNumbers(folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder);
    return names.map((name) => leaseName.exec(name)?.[1]).flatMap((digits) => (digits === undefined ? [] : [+digits]));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Returns false if the file exists. The file appears with its content, so that a killed process leaves a valid lease or
 * none.
 */
async function create(file: string, text: string): Promise<boolean> {
  const own = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  if (!(await createInPlace(own, text))) return false;
  try {
    await link(own, file);
    return true;
  } catch (error) {
    // The process that got the lease removes the temporary files of others.
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
    // Not every file system supports hard links.
    return await createInPlace(file, text);
  } finally {
    await unlink(own).catch(ignore);
  }
}

/** Returns false if the file exists. */
async function createInPlace(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
    } catch (error) {
      await unlink(file).catch(ignore);
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Temporary file of a process that was killed while taking or releasing a lease. */
function isUnfinished(name: string): boolean {
  return name.startsWith('writer.') && !leaseName.test(name);
}

async function unlinkOlder(folder: string, number: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const older = names.filter((name) => isUnfinished(name) || Number(leaseName.exec(name)?.[1] ?? number) < number);
  await Promise.all(older.map((name) => unlink(path.join(folder, name)).catch(ignore)));
}

function ignore(): void {
  // Already removed.
}
