import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently, stateOf, type FileState, type ReadBudget } from './fileState.ts';
import type { Git } from './gitProgram.ts';
import { SnapshotProblem, type Deadline, type SnapshotLimits } from './snapshot.ts';

/** A folder in a repository, and how to query it. */
export interface Place {
  readonly folder: string;
  readonly git: Git;
  readonly limits: SnapshotLimits;
}

/** Git's view of the files below a folder. */
export interface GitState {
  readonly head: string | null;
  /** Output of `git ls-files --stage`, only parsed if it changed. */
  readonly stagedOutput: string;
  /** Files that differ from the index or are missing in it; `null` for a deleted one. */
  readonly others: ReadonlyMap<string, FileState | null>;
  /** Folders with their own repository, such as submodules. */
  readonly nested: ReadonlySet<string>;
}

const submodule = '160000 ';

/** @throws SnapshotProblem */
export async function readGitState(
  { folder, git, limits }: Place,
  deadline: Deadline,
  budget: ReadBudget,
): Promise<GitState> {
  await git.withoutFilters(deadline);
  const list = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const [stagedOutput, listed, head] = await Promise.all([
    git.ask(['ls-files', '-z', '--stage'], deadline),
    git.ask(list, deadline),
    git.ask(['rev-parse', '-q', '--verify', 'HEAD'], deadline),
  ]);
  if (stagedOutput === null || listed === null) throw new SnapshotProblem('Git could not list its files.');
  const names = [...new Set(listed.split('\0'))].filter((name) => name !== '');
  const submodules = new Set(submodulesOf(stagedOutput));
  const folders = [...submodules, ...names.flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : []))];
  const paths = names.filter((name) => !name.endsWith('/') && !submodules.has(name));
  if (paths.length > limits.files) throw new SnapshotProblem('Too many files differ from the git index.');
  const nested = await mapConcurrently(folders, (name) => exists(path.join(folder, name, '.git')));
  const states = await mapConcurrently(paths, (file) => {
    deadline.check();
    return stateOf(path.join(folder, file), budget);
  });
  return {
    head: head?.trim() ?? null,
    stagedOutput,
    others: new Map(paths.map((file, at) => [file, states[at] ?? null])),
    nested: new Set(folders.filter((_, at) => nested[at])),
  };
}

/**
 * State of files with a git filter. Git would report them as modified if only their times changed. For Git LFS, the
 * index has enough information. Limited by the budget.
 */
export async function filteredFiles(
  { folder, git, limits }: Place,
  { others }: GitState,
  deadline: Deadline,
  budget: ReadBudget,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  if ([...git.filters].every((name) => name === lfsFilter)) return states;
  const having = [':(exclude,attr:!filter)', ':(exclude,attr:filter=lfs)'];
  const listed = (await git.ask(['ls-files', '-z', '--', ...having], deadline)) ?? '';
  let bytes = 0;
  await mapConcurrently(listed.split('\0').slice(0, limits.files), async (file) => {
    deadline.check();
    if (file === '' || others.has(file) || bytes > limits.bytes) return;
    const state = await stateOf(path.join(folder, file), budget);
    if (state === null) return;
    bytes += state.size;
    states.set(file, state);
  });
  return states;
}

export const lfsFilter = 'filter.lfs';

function submodulesOf(staged: string): string[] {
  if (!staged.includes(submodule)) return [];
  return staged
    .split('\0')
    .filter((line) => line.startsWith(submodule))
    .map((line) => line.slice(line.indexOf('\t') + 1));
}

/** Object names by path, without submodules. */
export function stagedObjects(staged: string): Map<string, string> {
  const objects = new Map<string, string>();
  for (const line of staged.split('\0')) {
    const tab = line.indexOf('\t');
    const [, object = ''] = line.slice(0, tab).split(' ');
    if (tab !== -1 && !line.startsWith(submodule)) objects.set(line.slice(tab + 1), object);
  }
  return objects;
}

/** Paths of the files that are executable in the index. */
export function stagedExecutables(staged: string): Set<string> {
  const lines = staged.split('\0').filter((line) => line.startsWith('100755 '));
  return new Set(lines.map((line) => line.slice(line.indexOf('\t') + 1)));
}

export async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}
