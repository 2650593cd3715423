import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithoutEvents } from './folderWatcher.ts';

/** Waits for folders that do not exist yet: watches the nearest existing folder above each, without polling. */
export class MissingFolders {
  readonly #onCreated: () => void;
  /** By watched folder: the names in it that are waited for. */
  readonly #names = new Map<string, Set<string>>();
  readonly #watches = new Map<string, FSWatcher>();
  #folders = '';
  #isComplete = false;
  #isDisposed = false;

  /** `onCreated` is called when one may have been created, or a folder above one was removed: call `set` again. */
  constructor(onCreated: () => void) {
    this.#onCreated = onCreated;
  }

  /** Waits for exactly these folders. Returns false if one of them can be created without an event. */
  async set(folders: readonly string[]): Promise<boolean> {
    const key = folders.join('\n');
    if (this.#isComplete && key === this.#folders) return true;
    this.#folders = key;
    const wanted = new Map<string, Set<string>>();
    for (const folder of folders) {
      const { above, name } = await nearestFolder(folder);
      wanted.set(above, (wanted.get(above) ?? new Set()).add(name));
    }
    for (const folder of [...this.#watches.keys()]) if (!wanted.has(folder)) this.#unwatch(folder);
    this.#names.clear();
    let isComplete = true;
    for (const [folder, names] of wanted) {
      this.#names.set(folder, names);
      if (!(await this.#watch(folder))) isComplete = false;
    }
    this.#isComplete = isComplete;
    // It may have been created before the watch began.
    for (const [folder, names] of wanted)
      for (const name of names) if (await exists(path.join(folder, name))) this.#changed();
    return isComplete;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const folder of [...this.#watches.keys()]) this.#unwatch(folder);
  }

  /** Returns false if there are no events. */
  async #watch(folder: string): Promise<boolean> {
    if (this.#watches.has(folder)) return true;
    if ((await isWithoutEvents(folder)) || this.#isDisposed) return false;
    try {
      const made = watch(folder, { persistent: false }, (_, name) => {
        // The folder itself, or an entry with the same name, was removed or renamed.
        const isItself = name === path.basename(folder);
        if (isItself) this.#unwatch(folder);
        if (isItself || name === null || this.#names.get(folder)?.has(name) === true) this.#changed();
      });
      made.on('error', () => {
        this.#unwatch(folder);
        this.#changed();
      });
      this.#watches.set(folder, made);
      return true;
    } catch {
      // It was removed just now, or the system has no more watches.
      return false;
    }
  }

  #changed(): void {
    this.#isComplete = false;
    if (!this.#isDisposed) this.#onCreated();
  }

  #unwatch(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }
}

/** The nearest existing folder above, and the name in it on the way to `folder`. */
async function nearestFolder(folder: string): Promise<{ readonly above: string; readonly name: string }> {
  const above = path.dirname(folder);
  const name = path.basename(folder);
  return above === folder || (await exists(above)) ? { above, name } : nearestFolder(above);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
