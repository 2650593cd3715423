import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  mapConcurrently,
  longestHashed,
  findModeChange,
  ReadBudget,
  isSameState,
  stateOf,
  type FileState,
} from './fileState.ts';
import { Deadline, SnapshotProblem, type Changes, type Snapshot, type SnapshotLimits } from './snapshot.ts';

/** Folders for internal data of programs. */
export const skippedFolders = new Set([
  '.git',
  '.hg',
  '.svn',
  '.jj',
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.cache',
  '.gradle',
  '.next',
  '.nuxt',
  '.turbo',
  '.vscode-test',
]);

interface CachedState {
  readonly statKey: string;
  readonly state: FileState | null;
}

/** Snapshot of a folder without git, which reads every file. @throws SnapshotProblem if there are too many */
export async function folderSnapshot(folder: string, limits: SnapshotLimits): Promise<Snapshot> {
  const before = await scanFolder(folder, limits, new Map());
  return {
    changes: async () => changesBetween(before, await scanFolder(folder, limits, before)),
    textBefore: (file) => {
      const known = before.get(file);
      return Promise.resolve(known === undefined ? null : known.state?.text);
    },
  };
}

/** Files with the same size and times as in `earlier` are not read again. */
async function scanFolder(
  folder: string,
  limits: SnapshotLimits,
  earlier: ReadonlyMap<string, CachedState>,
): Promise<Map<string, CachedState>> {
  const deadline = new Deadline(limits.timeMs);
  const budget = new ReadBudget();
  const files = await list(folder, limits, deadline);
  let bytes = 0;
  const known = await mapConcurrently(files, async (file): Promise<CachedState | null> => {
    deadline.check();
    const stats = await lstat(path.join(folder, file), { bigint: true }).catch(() => null);
    if (stats === null) return null;
    const statKey = `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;
    const same = earlier.get(file);
    if (same?.statKey === statKey) return same;
    // Larger files have their own budget.
    if (stats.size <= longestHashed) bytes += Number(stats.size);
    if (bytes > limits.bytes) throw new SnapshotProblem('The folder is too large.');
    return { statKey, state: await stateOf(path.join(folder, file), budget) };
  });
  return new Map(
    files.flatMap((file, at) => {
      const found = known[at] ?? null;
      return found === null ? [] : [[file, found] as const];
    }),
  );
}

async function list(folder: string, limits: SnapshotLimits, deadline: Deadline): Promise<string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
    deadline.check();
    const entries = await readdir(path.join(folder, inside), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) folders.push(file);
      } else if (entry.isFile() || entry.isSymbolicLink()) files.push(file);
    }
    if (files.length > limits.files) throw new SnapshotProblem('The folder has too many files.');
  }
  return files.sort();
}

function changesBetween(before: ReadonlyMap<string, CachedState>, now: ReadonlyMap<string, CachedState>): Changes {
  const changes: Changes['changes'][number][] = [];
  for (const file of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const earlier = before.get(file);
    const after = now.get(file);
    if (earlier === undefined) changes.push({ path: file, kind: 'added' });
    else if (after === undefined) changes.push({ path: file, kind: 'deleted' });
    else {
      const executable = findModeChange(earlier.state, after.state);
      const isModeOnly = isSameFile(earlier, after);
      if (executable !== undefined)
        changes.push({ path: file, kind: 'changed', mode: { executable, only: isModeOnly } });
      else if (!isModeOnly) changes.push({ path: file, kind: 'changed' });
    }
  }
  return { how: 'files', changes };
}

function isSameFile({ state: before }: CachedState, { state: after }: CachedState): boolean {
  return before === null || after === null ? before === after : isSameState(before, after);
}
