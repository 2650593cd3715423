import { chmod, lstat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently } from '../snapshot/fileState.ts';
import type { Deadline } from '../snapshot/snapshot.ts';
import type { FolderStore } from './folderStore.ts';
import { findDifferences, noFile, type RestorePlan } from './planRestore.ts';

/**
 * Changes the folder as planned, and returns files that differ from the goal nevertheless. Git refuses to start if a file
 * changed since the plan, replaces links instead of following them, and deletes folders that become empty.
 * @throws SnapshotProblem
 */
export async function applyRestore(
  store: FolderStore,
  { now, goal, modes, changes }: RestorePlan,
  deadline: Deadline,
): Promise<string[]> {
  await store.withIndex((index) => {
    const args = ['read-tree', '-m', '-u', now.files, goal.files];
    return store.git.run(args, deadline, { index });
    // The index stays as it was, so that the next snapshot looks at all changed files.
  }, false);
  await mapConcurrently([...modes], async ([name, mode]) => {
    const file = path.join(store.folder, name);
    const stats = await lstat(file).catch(() => null);
    if (stats?.isFile() === true && (stats.mode & 0o7777) !== mode) await chmod(file, mode).catch(() => undefined);
  });
  // A restored rule may ignore a restored file, and git may not notice other permissions.
  const after = await store.takeSnapshot(
    deadline,
    changes.map((change) => change.path),
  );
  // Files that were ignored until now, and no longer are, belong to neither.
  const known = new Set(changes.map((change) => change.path));
  const found = await findDifferences(store, goal, after, deadline);
  const unrelated = new Set(
    found.flatMap(({ path: name, from }) => (from.mode === noFile && !known.has(name) ? [name] : [])),
  );
  const all = new Set([...Object.keys(goal.modes.others), ...Object.keys(after.modes.others)]);
  const otherModes = [...all].filter((name) => goal.modes.others[name] !== after.modes.others[name]);
  const wrong = [...found.map((difference) => difference.path), ...otherModes].filter((name) => !unrelated.has(name));
  return [...new Set(wrong)].sort();
}
