import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Lane } from '../../../model/race/race.ts';
import type { RaceGit } from './raceGit.ts';
import { treeOfWorktree } from './trees.ts';

/** What a lane has made: its work tree, else the end of its branch. */
export interface LaneTree {
  readonly tree: string;
  /** The newest commit of its work tree or branch. */
  readonly head: string;
}

/** `null`: both worktree and branch are gone. @throws EngineFailure if git fails */
export async function laneTree(
  git: RaceGit,
  { worktree, branch }: Pick<Lane, 'worktree' | 'branch'>,
  temporary: string,
): Promise<LaneTree | null> {
  if ((await stat(path.join(worktree, '.git')).catch(() => null)) !== null) {
    const worktreeGit = git.at(worktree);
    const head = await worktreeGit.line(['rev-parse', '--verify', 'HEAD^{commit}']);
    if (head !== null) return { tree: await treeOfWorktree(worktreeGit, temporary), head };
  }
  const head = await git.line(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]);
  return head === null ? null : { tree: await git.treeOf(head), head };
}
