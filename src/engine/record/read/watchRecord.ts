import { watch, type FSWatcher } from 'node:fs';

/** Debounce time after a change in the folder, in ms. */
const settleMs = 50;

/**
 * Calls `read` when files of a record change, one call at a time. File systems without change events, such as network
 * drives, never trigger it. Returns a function that stops watching.
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
    // Out of watchers, or the folder is gone.
  }
  return end;
}
