import { access, constants, lstat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently } from '../snapshot/fileState.ts';
import { skippedFolders } from '../snapshot/folderSnapshot.ts';
import type { Git } from '../snapshot/gitProgram.ts';
import { SnapshotProblem, type Deadline } from '../snapshot/snapshot.ts';
import { nulSeparated, type ShadowGit } from './shadowGit.ts';

/** Repositories inside the folder whose files are included. */
const maxNested = 50;
const maxFiles = 200_000;

/**
 * Files in the folder that its repository tracks or does not ignore, as paths relative to the folder. Without a repository:
 * all that no `.gitignore` names, except the folders of package managers and build tools.
 */
export async function listFiles(folder: string, git: Git, shadow: ShadowGit, deadline: Deadline): Promise<string[]> {
  const files = (await trackedFiles(git, deadline)) ?? (await plainFiles(shadow, deadline));
  const all = await withNested(folder, '', files, { git, deadline, nested: { left: maxNested } });
  if (all.length > maxFiles) throw new SnapshotProblem('The folder has too many files.');
  return all;
}

/** Files of repositories that the one of the folder knows as submodules. */
export async function filesOfSubmodules(
  folder: string,
  names: readonly string[],
  git: Git,
  deadline: Deadline,
): Promise<string[]> {
  return withNested(
    folder,
    '',
    names.map((name) => `${name}/`),
    { git, deadline, nested: { left: maxNested } },
  );
}

interface ListContext {
  readonly git: Git;
  readonly deadline: Deadline;
  readonly nested: { left: number };
}

/** `null` if the folder is in no repository, or ignored there. */
async function trackedFiles(git: Git, deadline: Deadline): Promise<string[] | null> {
  const inside = await git.ask(['rev-parse', '--is-inside-work-tree'], deadline);
  if (inside?.trim() !== 'true') return null;
  const [ignored, listed] = await Promise.all([
    git.ask(['check-ignore', '-q', '.'], deadline),
    git.ask(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], deadline, 128 << 20),
  ]);
  return ignored !== null || listed === null ? null : [...new Set(nulSeparated(listed))];
}

async function plainFiles(shadow: ShadowGit, deadline: Deadline): Promise<string[]> {
  const excluded = [...skippedFolders].map((name) => `--exclude=${name}/`);
  // Without an index, every file is one of the others.
  const index = path.join(shadow.dir, 'no-index');
  const args = ['ls-files', '-z', '--others', '--exclude-per-directory=.gitignore', ...excluded];
  return nulSeparated(await shadow.run(args, deadline, { index }));
}

/** Git lists a repository in the folder as `name/`. */
async function withNested(
  folder: string,
  prefix: string,
  files: readonly string[],
  context: ListContext,
): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) {
    const name = file.endsWith('/') ? file.slice(0, -1) : file;
    if (file.endsWith('/') && context.nested.left > 0) {
      context.nested.left -= 1;
      const inner = path.join(folder, name);
      const inside = await trackedFiles(context.git.at(inner), context.deadline);
      found.push(...(await withNested(inner, `${prefix}${name}/`, inside ?? [], context)));
    } else if (!file.endsWith('/')) found.push(`${prefix}${name}`);
  }
  return found;
}

type FileKind = 'file' | 'link' | 'missing' | 'folder' | 'other' | 'notReadable' | 'tooLarge';
export interface FoundFile {
  readonly kind: FileKind;
  readonly size: number;
  /** Permissions of a regular file. */
  readonly mode: number | null;
}

/** Larger files are left out of snapshots. */
const maxFileBytes = 64 << 20;

export async function inspectFiles(folder: string, files: readonly string[]): Promise<Map<string, FoundFile>> {
  const found = await mapConcurrently(files, (file) => findFile(path.join(folder, file)));
  return new Map(files.map((file, at) => [file, found[at] ?? { kind: 'missing', size: 0, mode: null }]));
}

async function findFile(file: string): Promise<FoundFile> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return { kind: 'missing', size: 0, mode: null };
  const of = (kind: FileKind): FoundFile => ({
    kind,
    size: stats.size,
    mode: stats.isFile() ? stats.mode & 0o7777 : null,
  });
  if (stats.isSymbolicLink()) return of('link');
  if (stats.isDirectory()) return of('folder');
  if (!stats.isFile()) return of('other');
  if (stats.size > maxFileBytes) return of('tooLarge');
  const readable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return of(readable ? 'file' : 'notReadable');
}
