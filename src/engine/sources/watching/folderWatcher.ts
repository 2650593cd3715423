import { watch, type FSWatcher } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files.ts';

/** Maximum number of watches; further folders are polled. */
const maxWatches = 4096;
/** Polling interval in ms, and folders per interval. */
const pollMs = 1000;
const foldersPerPoll = 64;

/** File system types without events for changes by other machines; the numbers are those of GNU coreutils' `stat`. */
const withoutEvents = new Set([
  // NFS, SMB, CIFS, SMB2, 9P, FUSE
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546],
  // AFS, kAFS, Coda, Ceph, GPFS, Lustre, BeeGFS, PanFS, GFS2, OCFS2
  ...[0x5346414f, 0x6b414653, 0x73757245, 0x00c36400, 0x47504653, 0x0bd00bd0, 0x19830326, 0xaad7aaea, 0x01161970],
  0x7461636f,
  // Folders that a virtual machine shares with its host: VirtualBox, VMware, Parallels
  ...[0x786f4256, 0xbacbacbc, 0x7c7c6673],
]);

export interface FolderWatcherOptions {
  /** Gets created, changed or removed paths without delay. */
  readonly onPaths: (paths: ReadonlySet<string>) => void;
  /** Default: Node's, with one watch per folder on Linux, and one per tree elsewhere. */
  readonly watchFolder?: typeof watch;
  /** Whether one watch covers a whole tree; default: depends on the system. */
  readonly recursive?: boolean;
}

/** Watches folders by file system events, or by polling if there are no events. */
export class FolderWatcher {
  readonly #options: FolderWatcherOptions;
  readonly #recursive: boolean;
  readonly #watches = new Map<string, FSWatcher>();
  /** Polled folders with their last content. */
  readonly #polled = new Map<string, ReadonlyMap<string, string> | undefined>();
  #queue: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: FolderWatcherOptions) {
    this.#options = options;
    this.#recursive = options.recursive ?? process.platform !== 'linux';
  }

  /** Watches exactly these folders. Skips missing ones. */
  async set(folders: Iterable<string>): Promise<void> {
    const wanted = new Set(folders);
    for (const folder of this.#watches.keys()) if (!wanted.has(folder)) this.#unwatch(folder);
    for (const folder of this.#polled.keys()) if (!wanted.has(folder)) this.#polled.delete(folder);
    for (const folder of wanted) {
      if (this.#isDisposed) return;
      if (!this.#watches.has(folder) && !this.#polled.has(folder)) await this.#add(folder);
    }
    if (this.#polled.size > 0) this.#timer ??= setInterval(() => void this.#poll(), pollMs);
  }

  has(folder: string): boolean {
    return this.#watches.has(folder) || this.#polled.has(folder);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearInterval(this.#timer);
    for (const folder of this.#watches.keys()) this.#unwatch(folder);
    this.#polled.clear();
  }

  async #add(folder: string): Promise<void> {
    if (this.#watches.size >= maxWatches || (await isWithoutEvents(folder))) {
      this.#polled.set(folder, undefined);
      return;
    }
    try {
      const made = (this.#options.watchFolder ?? watch)(
        folder,
        { persistent: false, recursive: this.#recursive },
        (_, name) => this.#handleEvent(folder, typeof name === 'string' ? name : null),
      );
      made.on('error', () => {
        this.#unwatch(folder);
        if (!this.#isDisposed) this.#options.onPaths(new Set([folder]));
      });
      this.#watches.set(folder, made);
    } catch (error) {
      // The system has no more watches.
      if (!isMissing(error)) this.#polled.set(folder, undefined);
    }
  }

  #handleEvent(folder: string, name: string | null): void {
    if (this.#isDisposed) return;
    // The folder itself, or an entry with the same name, was removed or renamed.
    if (name === path.basename(folder)) void this.#check(folder);
    this.#options.onPaths(new Set([name === null ? folder : path.join(folder, name)]));
  }

  async #check(folder: string): Promise<void> {
    try {
      await access(folder);
    } catch {
      this.#unwatch(folder);
      if (!this.#isDisposed) this.#options.onPaths(new Set([folder]));
    }
  }

  #unwatch(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }

  async #poll(): Promise<void> {
    if (this.#queue.length === 0) this.#queue = [...this.#polled.keys()];
    for (const folder of this.#queue.splice(0, foldersPerPoll)) {
      if (!this.#polled.has(folder)) continue;
      const [before, now] = [this.#polled.get(folder), await contentOf(folder)];
      if (this.#isDisposed || !this.#polled.has(folder)) return;
      this.#polled.set(folder, now);
      if (before === undefined) continue;
      const names = new Set([...before.keys(), ...now.keys()]);
      const changed = [...names].filter((name) => before.get(name) !== now.get(name));
      if (changed.length > 0) this.#options.onPaths(new Set(changed.map((name) => path.join(folder, name))));
    }
  }
}

/** Whether changes in this folder by other machines cause no events. */
export async function isWithoutEvents(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return statfs(folder).then(
    ({ type }) => withoutEvents.has(type),
    () => false,
  );
}

/** Content of a folder: names with size and modification time. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const there = await stat(path.join(folder, name)).catch(() => null);
      return [name, there === null ? '' : `${there.size} ${there.mtimeMs}`] as const;
    }),
  );
  return new Map(found);
}
