import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { each, stateOf, TextBudget, type FileState } from './fileState.ts';
import type { Git } from './gitProgram.ts';
import { Deadline, SnapshotProblem, type Changes, type Snapshot, type SnapshotLimits } from './snapshot.ts';

/** What git says of the files below a folder: which are as its index has them, and what stands in the others. */
interface Look {
  readonly head: string | null;
  /** As `git ls-files --stage` prints it: kept as it is, and read only where it changed. */
  readonly staged: string;
  /** Files that are not as the index has them, and those it does not have; `null` for a deleted one. */
  readonly others: ReadonlyMap<string, FileState | null>;
}

const longestPointer = 1024;

/** File times of some systems are no finer than this. */
const coarseTimeMs = 2000;

/**
 * A folder in a git repository. Git is only asked, so index, stash, refs and objects of the repository stay as they are.
 * `null` where the folder is in none, or git ignores it.
 */
export async function gitSnapshot(folder: string, git: Git, limits: SnapshotLimits): Promise<Snapshot | null> {
  const deadline = new Deadline(limits.timeMs);
  const inside = await git.ask(['rev-parse', '--is-inside-work-tree'], deadline);
  if (inside?.trim() !== 'true') return null;
  if ((await git.ask(['check-ignore', '-q', '.'], deadline)) !== null) return null;
  await git.withoutFilters(deadline);
  const takenAt = Date.now();
  const before = await look(folder, git, limits, deadline);
  return {
    changes: () => changesSince(before, takenAt, folder, git, limits),
    textBefore: (file) => textBefore(before, file, git, new Deadline(limits.timeMs)),
  };
}

async function look(folder: string, git: Git, limits: SnapshotLimits, deadline: Deadline): Promise<Look> {
  const list = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const [staged, listed, head] = await Promise.all([
    git.ask(['ls-files', '-z', '--stage'], deadline),
    git.ask(list, deadline),
    git.ask(['rev-parse', '-q', '--verify', 'HEAD'], deadline),
  ]);
  if (staged === null || listed === null) throw new SnapshotProblem('Git could not list its files.');
  const paths = [...new Set(listed.split('\0'))].filter((file) => file !== '' && !file.endsWith('/'));
  if (paths.length > limits.files) throw new SnapshotProblem('Too many files differ from what git has.');
  const budget = new TextBudget();
  const states = await each(paths, (file) => {
    deadline.check();
    return stateOf(path.join(folder, file), budget);
  });
  return { head: head?.trim() ?? null, staged, others: new Map(paths.map((file, at) => [file, states[at] ?? null])) };
}

/** Object names by path. */
function stagedObjects(staged: string): Map<string, string> {
  const objects = new Map<string, string>();
  for (const line of staged.split('\0')) {
    const tab = line.indexOf('\t');
    const [, object = ''] = line.slice(0, tab).split(' ');
    if (tab !== -1) objects.set(line.slice(tab + 1), object);
  }
  return objects;
}

async function changesSince(
  before: Look,
  takenAt: number,
  folder: string,
  git: Git,
  limits: SnapshotLimits,
): Promise<Changes> {
  const deadline = new Deadline(limits.timeMs);
  const now = await look(folder, git, limits, deadline);
  const sameIndex = before.staged === now.staged;
  const had = stagedObjects(before.staged);
  const has = sameIndex ? had : stagedObjects(now.staged);
  const candidates = new Set([...before.others.keys(), ...now.others.keys()]);
  if (!sameIndex)
    for (const file of new Set([...had.keys(), ...has.keys()]))
      if (had.get(file) !== has.get(file)) candidates.add(file);
  const budget = new TextBudget(0);
  const changes: Changes['changes'][number][] = [];
  for (const file of [...candidates].sort()) {
    deadline.check();
    const kind = await changeOf(file);
    if (kind !== null) changes.push({ path: file, kind });
  }
  const moved = before.head === now.head ? {} : { head: { before: before.head, after: now.head } };
  return { how: 'git', changes, ...moved };

  async function changeOf(file: string): Promise<'added' | 'changed' | 'deleted' | null> {
    const then = before.others.has(file) ? (before.others.get(file) ?? null) : had.has(file) ? 'staged' : null;
    const today = now.others.get(file) ?? (await stateOf(path.join(folder, file), budget));
    if (then === null) {
      if (today === null) return null;
      // Nothing but a change of what is ignored can show a file that is older than the look before.
      return (await changedAt(path.join(folder, file))) < takenAt - coarseTimeMs && !before.others.has(file)
        ? null
        : 'added';
    }
    if (today === null) return 'deleted';
    if (then !== 'staged') return then.hash === today.hash ? null : 'changed';
    if (!now.others.has(file)) return had.get(file) === has.get(file) || !has.has(file) ? null : 'changed';
    if (had.get(file) === has.get(file)) return (await isStored(had.get(file) ?? '', today)) ? null : 'changed';
    // The index went elsewhere, the file may have stayed.
    return (await git.ask(['hash-object', '--', file], deadline))?.trim() === had.get(file) ? null : 'changed';
  }

  /** Git LFS has a pointer in place of the file: without its filter, one that was only touched looks changed. */
  async function isStored(object: string, today: FileState): Promise<boolean> {
    const size = (await git.ask(['cat-file', '-s', object], deadline)) ?? '';
    if (Number(size) > longestPointer) return false;
    const pointer = (await git.ask(['cat-file', 'blob', object], deadline)) ?? '';
    return pointer.startsWith('version https://git-lfs.') && pointer.includes(`oid sha256:${today.hash}\n`);
  }
}

async function changedAt(file: string): Promise<number> {
  try {
    const { mtimeMs, ctimeMs } = await lstat(file);
    return Math.max(mtimeMs, ctimeMs);
  } catch {
    return Infinity;
  }
}

async function textBefore(
  before: Look,
  file: string,
  git: Git,
  deadline: Deadline,
): Promise<string | null | undefined> {
  if (before.others.has(file)) return before.others.get(file) === null ? null : before.others.get(file)?.text;
  const object = stagedObjects(before.staged).get(file);
  if (object === undefined) return null;
  return (await git.ask(['cat-file', 'blob', object], deadline)) ?? undefined;
}
