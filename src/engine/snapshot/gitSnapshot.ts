import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently, findModeChange, ReadBudget, isSameState, stateOf, type FileState } from './fileState.ts';
import {
  exists,
  filteredFiles,
  lfsFilter,
  readGitState,
  stagedExecutables,
  stagedObjects,
  type GitState,
  type Place,
} from './gitState.ts';
import type { Git } from './gitProgram.ts';
import { Deadline, longestCompared, type Changes, type Snapshot, type SnapshotLimits } from './snapshot.ts';

type Change = Changes['changes'][number];

/** Coarsest resolution of file times. */
const coarseTimeMs = 2000;
/** Maximum number of nested repositories to check. */
const maxNested = 50;

/** Resources for a snapshot of a folder with its repositories. */
interface SnapshotContext {
  readonly deadline: Deadline;
  readonly budget: ReadBudget;
  nested: number;
}

/**
 * Snapshot of a folder in a git repository, read-only: index, stash, refs and objects stay unchanged. `null` if the
 * folder is in no repository or is ignored.
 */
export async function gitSnapshot(folder: string, git: Git, limits: SnapshotLimits): Promise<Snapshot | null> {
  const deadline = new Deadline(limits.timeMs);
  const inside = await git.ask(['rev-parse', '--is-inside-work-tree'], deadline);
  if (inside?.trim() !== 'true') return null;
  if ((await git.ask(['check-ignore', '-q', '.'], deadline)) !== null) return null;
  const context = { deadline, budget: new ReadBudget(), nested: maxNested };
  const repository = await Repository.takeSnapshot({ folder, git, limits }, context);
  return {
    changes: () => repository.changes(new Deadline(limits.timeMs)),
    textBefore: (file) => repository.textBefore(file, new Deadline(limits.timeMs)),
  };
}

/** A repository with its nested repositories at one moment. */
class Repository {
  readonly #place: Place;
  readonly #takenAt: number;
  readonly #stateBefore: GitState;
  readonly #filteredFiles: ReadonlyMap<string, FileState>;
  readonly #nestedRepositories: ReadonlyMap<string, Repository>;
  #stagedCache: ReadonlyMap<string, string> | undefined;
  #executablesCache: ReadonlySet<string> | undefined;

  private constructor(
    place: Place,
    takenAt: number,
    before: GitState,
    filtered: ReadonlyMap<string, FileState>,
    nested: ReadonlyMap<string, Repository>,
  ) {
    this.#place = place;
    this.#takenAt = takenAt;
    this.#stateBefore = before;
    this.#filteredFiles = filtered;
    this.#nestedRepositories = nested;
  }

  static async takeSnapshot(place: Place, context: SnapshotContext): Promise<Repository> {
    const { deadline, budget } = context;
    const takenAt = Date.now();
    const before = await readGitState(place, deadline, budget);
    const filtered = await filteredFiles(place, before, deadline, budget);
    const nested = new Map<string, Repository>();
    await mapConcurrently([...before.nested], async (name) => {
      if (context.nested === 0) return;
      context.nested -= 1;
      const folder = path.join(place.folder, name);
      const inner = await Repository.takeSnapshot({ ...place, folder, git: place.git.at(folder) }, context).catch(
        () => null,
      );
      deadline.check();
      // Skips folders that git does not accept as a repository.
      if (inner !== null) nested.set(name, inner);
    });
    return new Repository(place, takenAt, before, filtered, nested);
  }

  async changes(deadline: Deadline): Promise<Changes> {
    const { head } = this.#stateBefore;
    const now = await readGitState(this.#place, deadline, new ReadBudget(0));
    const has = this.#stateBefore.stagedOutput === now.stagedOutput ? this.#staged : stagedObjects(now.stagedOutput);
    const own = await this.#findOwnChanges(now, has, deadline);
    const inside = await mapConcurrently([...new Set([...this.#stateBefore.nested, ...now.nested])], (name) =>
      this.#findNestedChanges(name, now, deadline),
    );
    const changes = [own, ...inside].flat().sort((a, b) => (a.path < b.path ? -1 : 1));
    return { how: 'git', changes, ...(head === now.head ? {} : { head: { before: head, after: now.head } }) };
  }

  async textBefore(file: string, deadline: Deadline): Promise<string | null | undefined> {
    for (const [name, inner] of this.#nestedRepositories) {
      if (file.startsWith(`${name}/`)) return inner.textBefore(file.slice(name.length + 1), deadline);
    }
    const { others } = this.#stateBefore;
    if (others.has(file)) return others.get(file) === null ? null : others.get(file)?.text;
    const filtered = this.#filteredFiles.get(file);
    if (filtered !== undefined) return filtered.text;
    const object = this.#staged.get(file);
    if (object === undefined) return null;
    return (await this.#place.git.ask(['cat-file', 'blob', object], deadline, longestCompared)) ?? undefined;
  }

  get #staged(): ReadonlyMap<string, string> {
    return (this.#stagedCache ??= stagedObjects(this.#stateBefore.stagedOutput));
  }

  get #executables(): ReadonlySet<string> {
    return (this.#executablesCache ??= stagedExecutables(this.#stateBefore.stagedOutput));
  }

  async #findNestedChanges(name: string, now: GitState, deadline: Deadline): Promise<Change[]> {
    if (!this.#stateBefore.nested.has(name)) return [{ path: `${name}/`, kind: 'added' }];
    if (!now.nested.has(name)) {
      const left = await exists(path.join(this.#place.folder, name));
      return [{ path: `${name}/`, kind: left ? 'changed' : 'deleted' }];
    }
    const inside = await this.#nestedRepositories.get(name)?.changes(deadline);
    return (inside?.changes ?? []).map((change) => ({ ...change, path: `${name}/${change.path}` }));
  }

  async #findOwnChanges(now: GitState, has: ReadonlyMap<string, string>, deadline: Deadline): Promise<Change[]> {
    const stagedBefore = this.#staged;
    const candidates = new Set([...this.#stateBefore.others.keys(), ...now.others.keys()]);
    if (stagedBefore !== has) {
      for (const file of new Set([...stagedBefore.keys(), ...has.keys()]))
        if (stagedBefore.get(file) !== has.get(file)) candidates.add(file);
      const [ran, runs] = [this.#executables, stagedExecutables(now.stagedOutput)];
      for (const file of new Set([...ran, ...runs])) if (ran.has(file) !== runs.has(file)) candidates.add(file);
    }
    const budget = new ReadBudget(0);
    const found = await mapConcurrently([...candidates], async (file) => {
      deadline.check();
      const today = now.others.get(file) ?? (await stateOf(this.#pathOf(file), budget));
      const kind = await this.#compareFile(file, today, { now, has });
      const isOneSided = kind === 'added' || kind === 'deleted';
      return { path: file, kind, executable: isOneSided ? undefined : this.#findModeChange(file, today) };
    });
    const isTracked = (file: string): boolean => !this.#stateBefore.others.has(file) && !this.#filteredFiles.has(file);
    const hasModes = found.some(({ path: file, executable }) => executable !== undefined && isTracked(file))
      ? await this.#tracksModes(deadline)
      : false;
    const changed = found.map((one) => (hasModes || !isTracked(one.path) ? one : { ...one, executable: undefined }));
    const compared = changed.flatMap(({ path: file, kind, executable }) =>
      kind === 'moved' || (kind === 'changed' && executable !== undefined && isTracked(file)) ? [file] : [],
    );
    const unchangedFiles = await this.#findUnchangedFiles(compared, now, deadline);
    return changed.flatMap(({ path: file, kind, executable }): Change[] => {
      const only = kind === null || unchangedFiles.has(file);
      if (executable !== undefined) return [{ path: file, kind: 'changed', mode: { executable, only } }];
      if (kind === null || (kind === 'moved' && only)) return [];
      return [{ path: file, kind: kind === 'moved' ? 'changed' : kind }];
    });
  }

  /** Whether a file that still exists is executable now, if that changed. */
  #findModeChange(file: string, today: FileState | null): boolean | undefined {
    const known = this.#stateBefore.others.get(file) ?? this.#filteredFiles.get(file);
    if (known !== undefined) return findModeChange(known, today);
    const is = today?.executable;
    return !this.#staged.has(file) || is === this.#executables.has(file) ? undefined : is;
  }

  /** Git ignores modes on some file systems. */
  async #tracksModes(deadline: Deadline): Promise<boolean> {
    const found = await this.#place.git.ask(
      ['config', '--type=bool', '--default=true', '--get', 'core.filemode'],
      deadline,
    );
    return found?.trim() === 'true';
  }

  /** `moved`: the index entry changed, and also differs from the file. */
  async #compareFile(
    file: string,
    today: FileState | null,
    { now, has }: { readonly now: GitState; readonly has: ReadonlyMap<string, string> },
  ): Promise<Change['kind'] | 'moved' | null> {
    const { others } = this.#stateBefore;
    const known = others.has(file) ? others.get(file) : this.#filteredFiles.get(file);
    const object = others.has(file) ? undefined : this.#staged.get(file);
    if (known === null || (known === undefined && object === undefined)) {
      if (today === null) return null;
      // A file older than the previous snapshot only appears here if the ignore rules changed.
      const old = !others.has(file) && (await changedAt(this.#pathOf(file))) < this.#takenAt - coarseTimeMs;
      return old ? null : 'added';
    }
    if (today === null) return 'deleted';
    if (known !== undefined) return isSameState(known, today) ? null : 'changed';
    if (!now.others.has(file)) return object === has.get(file) || !has.has(file) ? null : 'changed';
    if (this.#place.git.filters.has(lfsFilter) && isPointer(object ?? '', today)) return null;
    return object === has.get(file) ? 'changed' : 'moved';
  }

  /** Files whose content still matches their index entry. */
  async #findUnchangedFiles(files: readonly string[], now: GitState, deadline: Deadline): Promise<Set<string>> {
    const linkedTo = (file: string): string | undefined => /^link (.*)$/s.exec(now.others.get(file)?.hash ?? '')?.[1];
    const plain = files.filter((file) => linkedTo(file) === undefined);
    const names = await this.#place.git.objectNames(plain, deadline);
    return new Set(
      files.filter((file) => {
        const object = this.#staged.get(file) ?? '';
        const link = linkedTo(file);
        // Git would hash the target of a link.
        return (link === undefined ? names.get(file) : objectName(link, object)) === object;
      }),
    );
  }

  #pathOf(file: string): string {
    return path.join(this.#place.folder, file);
  }
}

/** Git LFS stores a pointer: without its filter, a touched file looks modified. */
function isPointer(object: string, { hash, size }: FileState): boolean {
  if (hash === null) return false;
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${size}\n`;
  return objectName(pointer, object) === object;
}

/** Git object name of this text; `like` is another name of the repository, which tells the hash algorithm. */
function objectName(text: string, like: string): string {
  const data = Buffer.from(text);
  const algorithm = like.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${data.length}\0`).update(data).digest('hex');
}

async function changedAt(file: string): Promise<number> {
  try {
    const { mtimeMs, ctimeMs } = await lstat(file);
    return Math.max(mtimeMs, ctimeMs);
  } catch {
    return Infinity;
  }
}
