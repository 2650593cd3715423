import { watch, type FSWatcher } from 'node:fs';

/** After a change of the folder: more come at once. In ms. */
const settleMs = 50;

/**
 * Calls `read` when files of a record change, one call at a time. A file system that tells no changes, such as a network
 * drive of what other machines write, calls it never. Returns a function that ends the watch.
 */
export function watchRecord(folder: string, read: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let watcher: FSWatcher | undefined;
  const look = (): void => {
    timer = undefined;
    reading = read().finally(() => (reading = undefined));
  };
  const changed = (): void => {
    timer ??= setTimeout(() => (reading === undefined ? look() : void reading.then(look)), settleMs);
  };
  const end = (): void => {
    watcher?.close();
    clearTimeout(timer);
  };
  try {
    watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', end);
  } catch {
    // Too many watchers, or the folder is gone.
  }
  return end;
}
