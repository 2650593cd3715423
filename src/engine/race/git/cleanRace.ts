import type { Lane, Race } from '../../../model/race/race.ts';
import { EngineFailure } from '../../failures/failures.ts';
import { laneTree } from './laneTree.ts';
import type { RaceGit } from './raceGit.ts';
import { changedPaths } from './trees.ts';

/** Work that exists only in a worktree or branch of a race. */
export interface UnappliedWork {
  readonly lane: string;
  readonly worktree: string;
  readonly branch: string;
  /** Changed files; `null`: they could not be determined. */
  readonly files: readonly string[] | null;
}

/** Lanes whose work was neither applied nor made a branch. Ignored files do not count. */
export async function unappliedWork(race: Race, git: RaceGit, temporary: string): Promise<UnappliedWork[]> {
  const losses: UnappliedWork[] = [];
  const base = await git.line(['rev-parse', '--verify', '--quiet', `${race.base}^{tree}`]);
  for (const lane of race.lanes) {
    if (!lane.started) continue;
    const files = await unsavedFiles(race, lane, { git, temporary, base });
    if (files === null || files.length > 0)
      losses.push({ lane: lane.name, worktree: lane.worktree, branch: lane.branch, files });
  }
  return losses;
}

async function unsavedFiles(
  race: Race,
  lane: Lane,
  { git, temporary, base }: { readonly git: RaceGit; readonly temporary: string; readonly base: string | null },
): Promise<readonly string[] | null> {
  try {
    const result = await laneTree(git, lane, temporary);
    if (result === null) return [];
    if (await isSaved(race, lane, result.tree, git)) return [];
    return base === null ? null : await changedPaths(git, base, result.tree);
  } catch (error) {
    if (EngineFailure.is(error)) return null;
    throw error;
  }
}

/** The patch was written and not undone, or the branch is still there. */
async function isSaved({ applied }: Race, { name }: Lane, tree: string, git: RaceGit): Promise<boolean> {
  for (const application of applied) {
    if (application.lane !== name || application.tree !== tree || application.undone === true) continue;
    if (application.how === 'patch') return true;
    const branchTree = await git.line([
      'rev-parse',
      '--verify',
      '--quiet',
      `refs/heads/${application.branch ?? ''}^{tree}`,
    ]);
    if (branchTree === tree) return true;
  }
  return false;
}
