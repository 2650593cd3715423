import { setImmediate } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Pages of the index that are written at once: some milliseconds. */
const pagesAtOnce = 64;

/**
 * Takes the words of deleted entries out of the file. Until then the index only marks them as deleted, for it does not know
 * which words they had. Others get their turn meanwhile. @throws as SQLite does
 */
export async function expungeDeleted(database: Database): Promise<void> {
  // A negative number marks all parts of the index for merging; the others merge so many pages of them.
  merge(database, -pagesAtOnce);
  while (merge(database, pagesAtOnce) > 1) await setImmediate();
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** How much was written; less than 2: all is merged. */
function merge(database: Database, pages: number): number {
  const before = writtenBy(database);
  database.run("INSERT INTO word_index (word_index, rank) VALUES ('merge', ?)", pages);
  return writtenBy(database) - before;
}

function writtenBy(database: Database): number {
  return Number(database.get('SELECT total_changes() AS changes')?.['changes']);
}
