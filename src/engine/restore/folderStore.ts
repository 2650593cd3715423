import { createHash, randomBytes } from 'node:crypto';
import { copyFile, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { Git } from '../snapshot/gitProgram.ts';
import { type Deadline, SnapshotProblem } from '../snapshot/snapshot.ts';
import { findOnPath } from '../programs/searchPath.ts';
import { type FileModes, fileModesSchema, defaultModes, withModes } from './fileModes.ts';
import { filesOfSubmodules, type FoundFile, listFiles, inspectFiles } from './folderFiles.ts';
import { nulSeparated, ShadowGit } from './shadowGit.ts';

/** Files that one call of git adds, so that an interrupted snapshot keeps most of its work. */
const batch = 4000;
/** Files that are checked again, although git sees no change. */
const maxRecent = 5000;
const recentSchema = z.array(z.string());
/** Bytes that one snapshot may add. */
const maxBytes = 1 << 30;

/** Git's names of a folder's files and of the root that also holds their permissions. */
export interface Snapshot {
  readonly root: string;
  readonly files: string;
  readonly modes: FileModes;
  /** Files that it lacks because they cannot be read or are too large. */
  readonly left: ReadonlyMap<string, FoundFile>;
}

/** Snapshots of one folder, in a repository of Vitrine. One caller at a time. */
export class FolderStore {
  readonly folder: string;
  readonly git: ShadowGit;
  readonly #user: Git;
  readonly #dir: string;

  private constructor(folder: string, dir: string, git: ShadowGit, user: Git) {
    this.folder = folder;
    this.#dir = dir;
    this.git = git;
    this.#user = user;
  }

  /** `parent`: folder of all such stores. `null` if git is not on the PATH. @throws SnapshotProblem */
  static async open(
    folder: string,
    parent: string,
    environment: Readonly<Record<string, string | undefined>>,
    deadline: Deadline,
  ): Promise<FolderStore | null> {
    const entries = Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || /^GIT_/i.test(name) ? [] : [[name, value] as const],
    );
    const env = Object.fromEntries(entries);
    const [program, user] = await Promise.all([findOnPath('git', env), Git.find(folder, environment)]);
    if (program === undefined || user === null) return null;
    const dir = FolderStore.place(folder, parent);
    return new FolderStore(folder, dir, await ShadowGit.open(program, { folder, dir, env }, deadline), user);
  }

  static place(folder: string, parent: string): string {
    return path.join(parent, createHash('sha256').update(folder).digest('hex').slice(0, 16));
  }

  /** Records the folder as it is. `additionalFiles`: files to include though they are ignored. @throws SnapshotProblem */
  async takeSnapshot(deadline: Deadline, additionalFiles: readonly string[] = []): Promise<Snapshot> {
    return this.withIndex(async (index) => {
      const [names, changed, listed] = await Promise.all([
        listFiles(this.folder, this.#user, this.git, deadline),
        this.git.run(['diff-files', '--name-only', '-z', '--ignore-submodules=all'], deadline, { index }),
        this.git.run(['ls-files', '-z'], deadline, { index }),
      ]);
      const known = new Set(nulSeparated(listed));
      const added = [...names, ...additionalFiles].filter((name) => !known.has(name));
      const again = [...additionalFiles, ...(await this.#readRecentFiles())];
      const found = await inspectFiles(this.folder, [...new Set([...nulSeparated(changed), ...added, ...again])]);
      const submodules = [...found].flatMap(([name, { kind }]) => (kind === 'folder' ? [name] : []));
      const inside = await filesOfSubmodules(this.folder, submodules, this.#user, deadline);
      const ofSubmodules = await inspectFiles(
        this.folder,
        inside.filter((name) => !known.has(name)),
      );
      const all = new Map([...found, ...ofSubmodules]);
      const modes = withModes(await this.#readModes(), new Map([...all].map(([name, { mode }]) => [name, mode])));
      // Before the index, because files in it are not checked again.
      await writeFile(path.join(this.#dir, 'modes.json'), JSON.stringify(modes));
      await writeFile(this.#recentFile, JSON.stringify([...all.keys()].slice(0, maxRecent)));
      await this.#update(index, known, all, deadline);
      const files = await this.git.line(['write-tree'], deadline, { index });
      const snapshot = { root: await this.root(files, modes, deadline), files, modes };
      const left = [...all].filter(([, { kind }]) => kind === 'tooLarge' || kind === 'notReadable');
      return { ...snapshot, left: new Map(left) };
    });
  }

  /** Reads an earlier snapshot. @throws SnapshotProblem */
  async read(root: string, deadline: Deadline): Promise<Omit<Snapshot, 'left'>> {
    const [files, text] = await Promise.all([
      this.git.line(['rev-parse', '--verify', `${root}:files`], deadline),
      this.git.run(['cat-file', 'blob', `${root}:modes.json`], deadline),
    ]);
    return { root, files, modes: fileModesSchema.parse(JSON.parse(text)) };
  }

  /** Root of files and their permissions. */
  async root(files: string, modes: FileModes, deadline: Deadline): Promise<string> {
    const input = JSON.stringify(modes);
    const blob = await this.git.line(['hash-object', '-w', '--stdin'], deadline, { input });
    const tree = `040000 tree ${files}\tfiles\n100644 blob ${blob}\tmodes.json\n`;
    return this.git.line(['mktree'], deadline, { input: tree });
  }

  /** With a copy of the index, which replaces the index if `work` succeeds. */
  async withIndex<T>(work: (index: string) => Promise<T>, keep = true): Promise<T> {
    const index = path.join(this.#dir, `index-${randomBytes(6).toString('hex')}`);
    try {
      const stats = await stat(this.#index).catch(() => null);
      if (stats !== null) {
        await copyFile(this.#index, index);
        // Git compares files by content if they changed after this time. Rounding down is safe.
        await utimes(index, stats.atime, Math.floor(stats.mtimeMs) / 1000 - 0.001);
      }
      const result = await work(index);
      if (keep) await rename(index, this.#index).catch(ignoreMissing);
      return result;
    } catch (error) {
      // Keep the index, so that the next attempt need not read these files again.
      if (keep && SnapshotProblem.is(error)) await rename(index, this.#index).catch(ignoreMissing);
      throw error;
    } finally {
      await Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })));
    }
  }

  get #index(): string {
    return path.join(this.#dir, 'index');
  }

  /** As of the newest snapshot. */
  async #readModes(): Promise<FileModes> {
    const text = await readFile(path.join(this.#dir, 'modes.json'), 'utf8').catch(() => null);
    if (text !== null) return fileModesSchema.parse(JSON.parse(text));
    const probe = path.join(this.#dir, `mode-${randomBytes(6).toString('hex')}`);
    await writeFile(probe, '', { mode: 0o777 });
    const { mode } = await stat(probe);
    await rm(probe);
    return defaultModes(mode & 0o777);
  }

  get #recentFile(): string {
    return path.join(this.#dir, 'recent.json');
  }

  /**
   * Files that the newest snapshot checked. Many builds of git compare times by the second, so they may have got other
   * permissions since without git noticing.
   */
  async #readRecentFiles(): Promise<string[]> {
    const text = await readFile(this.#recentFile, 'utf8').catch(() => '[]');
    return recentSchema.parse(JSON.parse(text));
  }

  async #update(
    index: string,
    known: ReadonlySet<string>,
    found: ReadonlyMap<string, FoundFile>,
    deadline: Deadline,
  ): Promise<void> {
    const isKept = ({ kind }: FoundFile): boolean => kind === 'file' || kind === 'link';
    const removed = [...found].flatMap(([name, file]) => (known.has(name) && !isKept(file) ? [name] : []));
    if (removed.length > 0) {
      const input = removed.map((name) => `0 ${'0'.repeat(40)}\t${name}\0`).join('');
      await this.git.run(['update-index', '-z', '--index-info'], deadline, { index, input });
    }
    const taken = [...found].filter(([, file]) => isKept(file));
    if (taken.reduce((sum, [, { size }]) => sum + size, 0) > maxBytes)
      throw new SnapshotProblem('Too many bytes changed.');
    for (let from = 0; from < taken.length; from += batch) {
      const input = taken
        .slice(from, from + batch)
        .map(([name]) => `${name}\0`)
        .join('');
      const args = ['update-index', '-z', '--add', '--replace', '--remove', '--stdin'];
      await this.git.run(args, deadline, { index, input });
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
