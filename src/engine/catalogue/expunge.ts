import { setImmediate } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Pages merged per step, which takes some milliseconds. */
const pagesPerStep = 64;

/**
 * Removes the words of deleted entries from the index file. FTS only marks deleted entries until their segments are
 * merged. Yields between steps.
 * @throws SQLite errors
 */
export async function expungeDeleted(database: Database): Promise<void> {
  // A negative number marks all segments for merging; positive ones merge that many pages.
  mergePages(database, -pagesPerStep);
  while (mergePages(database, pagesPerStep) > 1) await setImmediate();
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Returns the number of writes; below 2, the merge is complete. */
function mergePages(database: Database, pages: number): number {
  const before = countChanges(database);
  database.run("INSERT INTO word_index (word_index, rank) VALUES ('merge', ?)", pages);
  return countChanges(database) - before;
}

function countChanges(database: Database): number {
  return Number(database.get('SELECT total_changes() AS changes')?.['changes']);
}
