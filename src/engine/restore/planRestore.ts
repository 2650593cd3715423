import { lstat, mkdtemp, readdir, rm, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { RestoreChange, RestoreSkip } from '../../model/files/restore.ts';
import { skippedFolders } from '../snapshot/folderSnapshot.ts';
import type { Deadline } from '../snapshot/snapshot.ts';
import { isExecutable } from '../../model/files/fileMode.ts';
import { modeOf, type FileModes } from './fileModes.ts';
import type { FolderStore, Snapshot } from './folderStore.ts';
import { nulSeparated } from './shadowGit.ts';

type StoredSnapshot = Omit<Snapshot, 'left'>;
/** `left`: files that existed, which the snapshot lacks. */
export type RestoreGoal = StoredSnapshot & { readonly left: readonly string[] };

/** A file that differs between two snapshots. Modes are git's; `000000`: there is no file. */
interface FileDifference {
  readonly path: string;
  readonly from: { readonly mode: string; readonly object: string };
  readonly to: { readonly mode: string; readonly object: string };
}

export interface RestorePlan {
  readonly now: Snapshot;
  /** The folder as it will be. */
  readonly goal: StoredSnapshot;
  readonly changes: readonly RestoreChange[];
  readonly skipped: readonly RestoreSkip[];
  /** Permissions of the regular files that change. */
  readonly modes: ReadonlyMap<string, number>;
}

export const noFile = '000000';
const link = '120000';

/** What has to change for the folder to be as in `target`; `only`: these files, whatever rules ignore. */
export async function planRestore(
  store: FolderStore,
  target: RestoreGoal,
  deadline: Deadline,
  only?: ReadonlySet<string>,
): Promise<RestorePlan> {
  const first = await store.takeSnapshot(deadline);
  const wanted = await findDifferences(store, first, target, deadline);
  const obstructingFiles = await findInTheWay(
    store.folder,
    wanted.filter(({ from }) => from.mode === noFile),
  );
  const now = obstructingFiles.length === 0 ? first : await store.takeSnapshot(deadline, obstructingFiles);
  const all = now === first ? wanted : await findDifferences(store, now, target, deadline);
  const picked = all.filter(({ path: name }) => only?.has(name) ?? true);
  const ignored = only === undefined ? await findFilesIgnoredThen(store, target, picked, deadline) : new Set<string>();
  const skipped: RestoreSkip[] = [];
  const differences: FileDifference[] = [];
  const deleted = new Set(
    picked.flatMap(({ path: name, to }) => (to.mode === noFile && !ignored.has(name) ? [name] : [])),
  );
  for (const difference of picked) {
    const why = ignored.has(difference.path) ? 'ignored' : await reasonToSkip(store.folder, difference, now, deleted);
    if (why === null) differences.push(difference);
    else skipped.push({ path: difference.path, why });
  }
  const modes = modeChanges(now, target, differences, only, new Set(skipped.map((file) => file.path)));
  const goal = await writeRestoredTree(store, now, target, differences, modes, deadline);
  const byContent = new Set(differences.map((difference) => difference.path));
  const changes = [
    ...differences.map((difference) => changeOf(difference, modes.get(difference.path))),
    ...[...modes.keys()].flatMap((name): RestoreChange[] =>
      byContent.has(name) ? [] : [{ path: name, kind: 'changed', mode: true }],
    ),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { now, goal, changes, skipped, modes };
}

function changeOf({ path: name, from, to }: FileDifference, permissions: number | undefined): RestoreChange {
  const kind = from.mode === noFile ? 'created' : to.mode === noFile ? 'deleted' : 'changed';
  return {
    path: name,
    kind,
    ...(from.mode !== noFile && { before: from.object }),
    ...(to.mode !== noFile && { after: to.object }),
    ...(kind === 'created' && permissions !== undefined && { permissions }),
    ...(from.object === to.object && { mode: true as const }),
  };
}

export async function findDifferences(
  { git }: FolderStore,
  from: Pick<StoredSnapshot, 'files'>,
  to: Pick<StoredSnapshot, 'files'>,
  deadline: Deadline,
): Promise<FileDifference[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from.files, to.files];
  const parts = nulSeparated(await git.run(args, deadline));
  const found: FileDifference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = ':', after = noFile, modeBefore = '', has = ''] = (parts[at] ?? '').split(' ');
    const place = { from: { mode: before.slice(1), object: modeBefore }, to: { mode: after, object: has } };
    found.push({ path: parts[at + 1] ?? '', ...place });
  }
  return found;
}

/** Files and links, ignored until now, where a restored file or its folder has to be. */
async function findInTheWay(folder: string, created: readonly FileDifference[]): Promise<string[]> {
  const found = new Set<string>();
  const free = new Set<string>();
  for (const { path: name } of created) {
    const parts = name.split('/');
    for (const at of parts.keys()) {
      const place = parts.slice(0, at + 1).join('/');
      if (found.has(place)) break;
      if (free.has(place)) continue;
      const stats = await lstat(path.join(folder, place)).catch(() => null);
      if (stats === null) break;
      if (stats.isDirectory()) free.add(place);
      else {
        found.add(place);
        break;
      }
    }
  }
  return [...found];
}

/** A file that the current snapshot lacks must not be overwritten. */
async function reasonToSkip(
  folder: string,
  { path: name, from, to }: FileDifference,
  now: Snapshot,
  deleted: ReadonlySet<string>,
): Promise<RestoreSkip['why'] | null> {
  if (from.mode !== noFile || to.mode === noFile) return null;
  const left = now.left.get(name)?.kind;
  if (left === 'tooLarge' || left === 'notReadable') return left;
  const parts = name.split('/');
  for (const at of parts.keys()) {
    const place = parts.slice(0, at + 1).join('/');
    const stats = await lstat(path.join(folder, place)).catch(() => null);
    if (stats === null) return null;
    const isLast = at === parts.length - 1;
    if (!stats.isDirectory()) return deleted.has(place) ? null : 'inTheWay';
    if (isLast && !(await areAllDeleted(path.join(folder, name), name, deleted))) return 'inTheWay';
  }
  return null;
}

/** Whether everything in a folder is deleted by the restore, so that a file can take its place. */
async function areAllDeleted(place: string, name: string, deleted: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const inside = `${name}/${entry.name}`;
    const isDeleted = entry.isDirectory()
      ? await areAllDeleted(path.join(place, entry.name), inside, deleted)
      : deleted.has(inside);
    if (!isDeleted) return false;
  }
  return true;
}

const rules = /(?:^|\/)\.gitignore$/;

/** Files of now that the snapshot would have lacked: they may have existed then, so they stay. */
async function findFilesIgnoredThen(
  store: FolderStore,
  target: RestoreGoal,
  differences: readonly FileDifference[],
  deadline: Deadline,
): Promise<Set<string>> {
  const deleted = differences.filter(({ to }) => to.mode === noFile).map((difference) => difference.path);
  const left = new Set(target.left);
  const found = new Set(deleted.filter((name) => left.has(name)));
  const inPackages = deleted.filter((name) => name.split('/').some((part) => skippedFolders.has(part)));
  if (deleted.length === 0) return found;
  const { git } = store;
  const listed = nulSeparated(await git.run(['ls-tree', '-r', '-z', target.files], deadline)).map((line) => ({
    mode: line.slice(0, 6),
    object: line.slice(0, line.indexOf('\t')).split(' ')[2] ?? '',
    name: line.slice(line.indexOf('\t') + 1),
  }));
  const packages = new Set(listed.flatMap(({ name }) => packageFolder(name) ?? []));
  for (const name of inPackages) if (!packages.has(packageFolder(name) ?? '')) found.add(name);
  const place = await mkdtemp(path.join(path.dirname(git.dir), 'rules-'));
  try {
    for (const { mode, object, name } of listed) {
      if (!rules.test(name) || mode === link) continue;
      await mkdir(path.dirname(path.join(place, name)), { recursive: true });
      await writeFile(path.join(place, name), await git.run(['cat-file', 'blob', object], deadline));
    }
    const input = deleted.map((name) => `${name}\0`).join('');
    const args = ['check-ignore', '--no-index', '-z', '--stdin'];
    // Code 1: none is ignored.
    for (const name of nulSeparated(await git.at(place).run(args, deadline, { input, codes: [1] }))) found.add(name);
    return found;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The folder of a package manager or build tool that contains this file. */
function packageFolder(name: string): string | undefined {
  const parts = name.split('/');
  const at = parts.findIndex((part) => skippedFolders.has(part));
  return at === -1 ? undefined : parts.slice(0, at + 1).join('/');
}

/** New permissions of regular files: those whose content changes, and those where only the permissions differ. */
function modeChanges(
  now: StoredSnapshot,
  target: StoredSnapshot,
  differences: readonly FileDifference[],
  only: ReadonlySet<string> | undefined,
  skipped: ReadonlySet<string>,
): Map<string, number> {
  const modes = new Map<string, number>();
  const byContent = new Map(differences.map((difference) => [difference.path, difference]));
  for (const [name, { to }] of byContent)
    if (to.mode !== noFile && to.mode !== link) modes.set(name, modeOf(target.modes, name, to.mode));
  for (const name of new Set([...Object.keys(now.modes.others), ...Object.keys(target.modes.others)])) {
    if (byContent.has(name) || skipped.has(name) || only?.has(name) === false) continue;
    const [oldMode, targetMode] = [now.modes.others[name], target.modes.others[name]];
    if (oldMode === targetMode) continue;
    // The content is the same, and so is whether it is executable.
    const runs = isExecutable(oldMode ?? targetMode ?? 0) ? '100755' : '100644';
    modes.set(name, modeOf(target.modes, name, runs));
  }
  return modes;
}

/** Writes the folder's files after the restore as a git tree. */
async function writeRestoredTree(
  store: FolderStore,
  now: StoredSnapshot,
  target: StoredSnapshot,
  differences: readonly FileDifference[],
  modes: ReadonlyMap<string, number>,
  deadline: Deadline,
): Promise<StoredSnapshot> {
  const files = await store.withIndex(async (index) => {
    await store.git.run(['read-tree', now.files], deadline, { index });
    // Deletions first: a file may take the place of a folder.
    const lines = [...differences]
      .sort((a, b) => Number(b.to.mode === noFile) - Number(a.to.mode === noFile))
      .map(({ path: name, to }) => `${to.mode === noFile ? '0' : to.mode} ${to.object}\t${name}\0`);
    const input = lines.join('');
    if (lines.length > 0)
      await store.git.run(['update-index', '-z', '--replace', '--index-info'], deadline, { index, input });
    return store.git.line(['write-tree'], deadline, { index });
  }, false);
  const others = new Map(Object.entries(now.modes.others));
  for (const { path: name } of differences) others.delete(name);
  for (const name of modes.keys()) {
    const mode = target.modes.others[name];
    if (mode === undefined) others.delete(name);
    else others.set(name, mode);
  }
  const restoredModes: FileModes = {
    ...now.modes,
    others: Object.fromEntries([...others].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return { root: await store.root(files, restoredModes, deadline), files, modes: restoredModes };
}
