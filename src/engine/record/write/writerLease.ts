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
  /** Whether `record.head` names the last line. Written where it does not: after a crash, or where the disk took nothing. */
  settled: z.boolean().default(true),
});

/** A lease of another machine cannot be checked; it lapses when its writer has not flushed for this long. */
const foreignLeaseMs = 24 * 3600_000;

/**
 * A lease without content, where there are no links, is about to be written, or its writer died at that moment. One of a
 * later version may name its holder in another way.
 */
const emptyLeaseMs = 5_000;

const leaseName = /^writer\.(\d{1,15})\.json$/;

/**
 * The right to write one record. The file with the highest number counts, and numbers only grow: taking over is creating
 * the next one, which exactly one process can. A lease that is given back stays, marked so.
 */
export class WriterLease {
  readonly #file: string;
  readonly #holder: LeaseHolder;
  /** Whether the writer before saved how far it came. */
  readonly #wasSettled: boolean;

  private constructor(file: string, holder: LeaseHolder, wasSettled: boolean) {
    this.#file = file;
    this.#holder = holder;
    this.#wasSettled = wasSettled;
  }

  /** @throws RecordBusyError while another writer lives; file system errors */
  static async acquire(folder: string, sessionId: string, clock: () => number): Promise<WriterLease> {
    const holder: LeaseHolder = {
      ...(await ownIdentity()),
      ...(await thisMachine()),
      at: new Date(clock()).toISOString(),
    };
    for (;;) {
      const newest = await newestLease(folder);
      const state = newest === 0 ? null : await stateOf(leaseFile(folder, newest), clock);
      if (state?.live === true) throw new RecordBusyError(sessionId, state.holder);
      const number = newest + 1;
      const file = leaseFile(folder, number);
      if (!(await create(file, JSON.stringify(holder)))) continue;
      // Whoever was slow may have created a number that others have long passed.
      if ((await newestLease(folder)) === number) {
        await unlinkOlder(folder, number);
        return new WriterLease(file, holder, state?.settled === true);
      }
      await unlink(file).catch(ignore);
    }
  }

  /** Says that the writer is running. @throws where the lease is gone */
  async touch(at: number): Promise<void> {
    await utimes(this.#file, at / 1000, at / 1000);
  }

  /** `settled`: whether `record.head` names the last line; where nothing was written, as it was before. */
  async release({ settled = this.#wasSettled }: { readonly settled?: boolean } = {}): Promise<void> {
    const next = `${this.#file}.released`;
    const lease = { ...this.#holder, released: true, ...(!settled && { settled }) };
    try {
      const text = JSON.stringify(lease);
      const handle = await open(next, 'w', 0o600);
      await handle.writeFile(text).finally(() => handle.close());
      await renameOver(next, this.#file).catch(() => this.#overwrite(text, next));
    } catch {
      // The folder is gone or cannot be written: the lease ends with this process.
    }
  }

  /** On Windows, a file that others keep reading cannot be replaced. `text` is longer than the lease: no reader sees none. */
  async #overwrite(text: string, unused: string): Promise<void> {
    const handle = await open(this.#file, 'r+');
    await handle.write(text, 0).finally(() => handle.close());
    await unlink(unused).catch(ignore);
  }
}

/** Whether someone is writing the record in this folder. */
export async function hasWriter(folder: string, clock: () => number): Promise<boolean> {
  const newest = await newestLease(folder);
  return newest !== 0 && (await stateOf(leaseFile(folder, newest), clock)).live;
}

/**
 * Whether its first line is on its way: who begins a session makes the folder, takes the lease, and then writes.
 * @throws file system errors
 */
export async function isCreating(folder: string, clock: () => number): Promise<boolean> {
  if (await hasWriter(folder, clock)) return true;
  const [made, inside] = await Promise.all([stat(folder), readdir(folder)]);
  return inside.every(isUnfinished) && clock() - made.mtimeMs < emptyLeaseMs;
}

/**
 * The number of the newest lease if its writer gave it back and `record.head` names the last line it wrote; else `null`. The
 * same number before and after means that no one wrote in between.
 */
export async function settledLease(folder: string): Promise<number | null> {
  const newest = await newestLease(folder);
  if (newest === 0) return null;
  return (await stateOf(leaseFile(folder, newest), () => 0)).settled ? newest : null;
}

interface LeaseState {
  readonly live: boolean;
  readonly holder: LeaseHolder | null;
  readonly settled: boolean;
}

async function stateOf(file: string, clock: () => number): Promise<LeaseState> {
  let age: number;
  let text: string;
  try {
    age = clock() - (await stat(file)).mtimeMs;
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { live: false, holder: null, settled: false };
    throw error;
  }
  const written = parse(text);
  const lease = leaseSchema.safeParse(written);
  // A damaged text names no writer, however new it is. Otherwise nothing would report what the record has lost.
  const mayBeLive = text === '' || written !== undefined;
  if (!lease.success) return { live: mayBeLive && age < emptyLeaseMs, holder: null, settled: false };
  const { released, settled, ...holder } = lease.data;
  if (released) return { live: false, holder, settled };
  const is = await stateOfHolder(holder);
  return { live: is === 'elsewhere' ? age < foreignLeaseMs : is === 'alive', holder, settled: false };
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

/** 0 where there is none. */
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
 * False where the file exists, or someone else was quicker. It appears with all of its content, so that a process that is
 * killed leaves a lease that names it, or none.
 */
async function create(file: string, text: string): Promise<boolean> {
  const own = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  if (!(await createInPlace(own, text))) return false;
  try {
    await link(own, file);
    return true;
  } catch (error) {
    // Whoever got the lease removes what others have prepared.
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
    // Not every file system has links.
    return await createInPlace(file, text);
  } finally {
    await unlink(own).catch(ignore);
  }
}

/** False where the file exists. */
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

/** What a process that was killed while it took or gave back a lease leaves. */
function isUnfinished(name: string): boolean {
  return name.startsWith('writer.') && !leaseName.test(name);
}

async function unlinkOlder(folder: string, number: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const older = names.filter((name) => isUnfinished(name) || Number(leaseName.exec(name)?.[1] ?? number) < number);
  await Promise.all(older.map((name) => unlink(path.join(folder, name)).catch(ignore)));
}

function ignore(): void {
  // A file that is already gone is what was wanted.
}
