import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';

/** What stands in a file, as far as it takes to tell whether it changed. */
export interface FileState {
  readonly hash: string;
  /** Of a small text. */
  readonly text?: string;
}

/** Larger ones are told by size and time. */
const longestHashed = 8 << 20;
const longestText = 256 << 10;

/** Characters of texts that one snapshot may keep. */
export class TextBudget {
  #left: number;

  constructor(characters = 16 << 20) {
    this.#left = characters;
  }

  take(text: string): boolean {
    if (text.length > this.#left) return false;
    this.#left -= text.length;
    return true;
  }
}

/** `null`: there is no file. What is no file and no link has no state, as if it were not there. */
export async function stateOf(file: string, budget: TextBudget): Promise<FileState | null> {
  try {
    const stats = await lstat(file, { bigint: true });
    if (stats.isSymbolicLink()) return { hash: `link ${await readlink(file)}` };
    if (!stats.isFile()) return null;
    if (stats.size > longestHashed) return { hash: `large ${stats.size} ${stats.mtimeNs}` };
    const data = await readFile(file);
    const hash = createHash('sha256').update(data).digest('hex');
    if (data.length > longestText || data.includes(0)) return { hash };
    const text = data.toString('utf8');
    return budget.take(text) ? { hash, text } : { hash };
  } catch {
    return null;
  }
}

const atOnce = 16;

/** In order, some at a time. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  }
  return results;
}
