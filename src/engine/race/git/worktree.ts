import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Lane, Race } from '../../../model/race/race.ts';
import { raceFailures } from '../failures.ts';
import type { RaceGit } from './raceGit.ts';
import type { RaceStore } from '../raceStore.ts';
import { treeOfWorktree } from './trees.ts';

/** The commit that a race begins with. */
export interface RaceBase {
  /** Top of the work tree. */
  readonly repository: string;
  /** The user's folder relative to it. */
  readonly prefix: string;
  readonly commit: string;
}

/** `withChanges`: includes the user's uncommitted work, except ignored files. @throws EngineFailure */
export async function findRaceBase(git: RaceGit, store: RaceStore, withChanges: boolean): Promise<RaceBase> {
  const repository = await git.line(['rev-parse', '--show-toplevel']);
  const head = await git.line(['rev-parse', '--verify', 'HEAD^{commit}']);
  if (repository === null || repository === '' || head === null) throw raceFailures.notRepository(git.folder);
  const prefix = (await git.run(['rev-parse', '--show-prefix'])).trim();
  const top = path.resolve(repository);
  if (!withChanges) return { repository: top, prefix, commit: head };
  const tree = await store.withTemporaryFolder((temporary) => treeOfWorktree(git.at(top), temporary));
  if (tree === (await git.treeOf(head))) return { repository: top, prefix, commit: head };
  const commit = await git.commit(tree, [head], 'Uncommitted work when a Vitrine race began');
  return { repository: top, prefix, commit };
}

export const baseRef = (id: string): string => `refs/vitrine/${id}/base`;

/** Prefix of all refs of a race. */
export const refsOf = (id: string): string => `refs/vitrine/${id}/`;

/** Folders and files that each worktree gets besides what git has, such as dependencies. Relative to the repository. */
export interface ExtraPaths {
  /** Copied; file systems that can share the blocks do. */
  readonly copy: readonly string[];
  /** Symbolic links to the user's own, which agents can then change. */
  readonly link: readonly string[];
}

/** @throws EngineFailure if one of them is outside the repository */
export function checkExtraPaths(repository: string, { copy, link }: ExtraPaths): void {
  for (const name of [...copy, ...link]) {
    const found = path.relative(repository, path.resolve(repository, name));
    const isInside = found !== '' && found !== '..' && !found.startsWith(`..${path.sep}`) && !path.isAbsolute(found);
    if (!isInside || found.split(path.sep)[0] === '.git') throw raceFailures.pathInvalid(name);
  }
}

/** @throws EngineFailure */
export async function addWorktree(git: RaceGit, { base }: Pick<Race, 'base'>, lane: Lane): Promise<void> {
  await mkdir(path.dirname(lane.worktree), { recursive: true, mode: 0o700 });
  await git.run(['worktree', 'add', '--quiet', '--no-track', '-b', lane.branch, lane.worktree, base]);
  // A folder that is not in the commit.
  await mkdir(lane.folder, { recursive: true });
}

/** Copies or links extra paths into a worktree. Skips paths that the repository does not have. */
export async function addExtraPaths(repository: string, worktree: string, { copy, link }: ExtraPaths): Promise<void> {
  for (const name of copy) {
    const [from, to] = [path.resolve(repository, name), path.resolve(worktree, name)];
    if ((await kindOf(from)) === null || (await kindOf(to)) !== null) continue;
    await mkdir(path.dirname(to), { recursive: true });
    const mode = constants.COPYFILE_FICLONE;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
  }
  for (const name of link) {
    const [from, to] = [path.resolve(repository, name), path.resolve(worktree, name)];
    const kind = await kindOf(from);
    if (kind === null || (await kindOf(to)) !== null) continue;
    await mkdir(path.dirname(to), { recursive: true });
    await symlink(from, to, kind === 'folder' ? 'junction' : 'file');
  }
}

async function kindOf(file: string): Promise<'folder' | 'file' | null> {
  const found = await lstat(file).catch(() => null);
  return found === null ? null : found.isDirectory() ? 'folder' : 'file';
}

/** Removes worktree and branch, in whatever state a killed process left them. @throws EngineFailure */
export async function removeWorktree(git: RaceGit, lane: Lane): Promise<void> {
  await git.ask(['worktree', 'remove', '--force', '--force', lane.worktree]);
  // Links to the user's folders are removed, not followed.
  await rm(lane.worktree, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  await removeEntry(git, lane.worktree);
  if ((await git.line(['rev-parse', '--verify', '--quiet', `refs/heads/${lane.branch}`])) !== null)
    await git.run(['branch', '-D', '--quiet', lane.branch]);
}

/** git's own entry of a worktree, which a process that was killed while it was made may leave incomplete. */
async function removeEntry(git: RaceGit, worktree: string): Promise<void> {
  const common = (await git.run(['rev-parse', '--git-common-dir'])).trim();
  const entries = path.resolve(git.folder, common, 'worktrees');
  const name = path.basename(worktree);
  const names: readonly string[] = await readdir(entries).catch(() => []);
  if (names.includes(name)) await rm(path.join(entries, name), { recursive: true, force: true });
}

/** Deletes the refs that keep the commits of a race. */
export async function removeRefs(git: RaceGit, id: string): Promise<void> {
  const refs = (await git.run(['for-each-ref', '--format=%(refname)', refsOf(id)])).split('\n');
  for (const ref of refs.filter((name) => name !== '')) await git.run(['update-ref', '-d', ref]);
}
