import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { isExecutable } from '../../model/files/fileMode.ts';

/** State of a file, enough to detect changes. */
export interface FileState {
  /** SHA-256; `null` if the file was too large or unreadable. */
  readonly hash: string | null;
  readonly size: number;
  /** Nanoseconds. */
  readonly modified: bigint;
  /** Only for regular files; absent on Windows. */
  readonly executable?: boolean;
  /** Content of small text files. */
  readonly text?: string;
}

/** Larger files are hashed within a budget, and compared by size and time beyond it. */
export const longestHashed = 8 << 20;
const longestText = 256 << 10;

/** Limits the characters kept in memory and the bytes of large files read per snapshot. */
export class ReadBudget {
  #characters: number;
  #bytes: number;

  constructor(characters = 16 << 20, bytes = 64 << 20) {
    this.#characters = characters;
    this.#bytes = bytes;
  }

  canKeep(text: string): boolean {
    if (text.length > this.#characters) return false;
    this.#characters -= text.length;
    return true;
  }

  tryRead(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** `null` if there is no file or link. Anything else counts as absent. */
export async function stateOf(file: string, budget: ReadBudget): Promise<FileState | null> {
  const stats = await lstat(file, { bigint: true }).catch(() => null);
  if (stats === null) return null;
  const known = { size: Number(stats.size), modified: stats.mtimeNs };
  try {
    if (stats.isSymbolicLink()) return { ...known, hash: `link ${await readlink(file)}` };
    if (!stats.isFile()) return null;
    const mode = process.platform === 'win32' ? {} : { executable: isExecutable(Number(stats.mode)) };
    if (known.size <= longestHashed) return { ...known, ...mode, ...(await readSmall(file, budget)) };
    return { ...known, ...mode, hash: budget.tryRead(known.size) ? await hashOf(file) : null };
  } catch {
    return { ...known, hash: null };
  }
}

async function readSmall(file: string, budget: ReadBudget): Promise<Pick<FileState, 'hash' | 'text'>> {
  const data = await readFile(file);
  const hash = createHash('sha256').update(data).digest('hex');
  if (data.length > longestText || data.includes(0)) return { hash };
  const text = data.toString('utf8');
  return budget.canKeep(text) ? { hash, text } : { hash };
}

export function isSameState(a: FileState, b: FileState): boolean {
  return a.hash !== null && b.hash !== null ? a.hash === b.hash : a.size === b.size && a.modified === b.modified;
}

/** Whether the file is executable now, if that changed. */
export function findModeChange(before: FileState | null, now: FileState | null): boolean | undefined {
  const [was, is] = [before?.executable, now?.executable];
  return was === undefined || was === is ? undefined : is;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  const data: AsyncIterable<Uint8Array> = createReadStream(file);
  for await (const chunk of data) hash.update(chunk);
  return hash.digest('hex');
}

const maxConcurrent = 16;

/** Maps items in order with limited concurrency. */
export async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += maxConcurrent) {
    results.push(...(await Promise.all(items.slice(from, from + maxConcurrent).map(work))));
  }
  return results;
}
