import path from 'node:path';
import type { AppliedLane, Lane, Race } from '../../../model/race/race.ts';
import { raceFailures } from '../failures.ts';
import { laneTree } from './laneTree.ts';
import type { RaceGit } from './raceGit.ts';
import { changedPaths, nulFields, treeWithFiles, writePatch } from './trees.ts';
import { refsOf } from './worktree.ts';

export interface ApplyDeps {
  /** In the user's repository. */
  readonly git: RaceGit;
  readonly temporary: string;
  /** Current time, ISO 8601. */
  readonly at: string;
}

/** A result as a patch that is ready to be written. */
export interface PreparedPatch {
  readonly appliedLane: AppliedLane;
  /** Writes the user's files, all or none. */
  write(): Promise<void>;
}

/**
 * Merges what a lane changed with the user's files as they are now, three-way. Touches only files that the lane changed, and not
 * the index. @throws EngineFailure `race_conflict` if a file cannot be merged
 */
export async function preparePatch(race: Race, lane: Lane, deps: ApplyDeps): Promise<PreparedPatch> {
  const { git, temporary, at } = deps;
  const result = await laneTree(git, lane, temporary);
  if (result === null) throw raceFailures.resultMissing(lane.name);
  const files = await changedPaths(git, race.base, result.tree);
  const before = await treeWithFiles(git, temporary, { base: race.base, files });
  const after = await mergedTree(git, race.base, before, result.tree);
  const [beforeCommit, commitAfter] = await keepTrees(race, { before, after }, deps);
  const changed = await changedPaths(git, before, after);
  const patch = { before: beforeCommit, after: commitAfter, files: changed };
  return {
    appliedLane: { lane: lane.name, at, how: 'patch', tree: result.tree, ...patch },
    write: () => writeFiles(git, before, after, temporary),
  };
}

/** Puts the files back that a patch changed, three-way: later edits stay. @throws EngineFailure */
export async function prepareUndo(
  { before, after, files }: AppliedLane,
  deps: ApplyDeps,
): Promise<() => Promise<void>> {
  if (before === undefined || after === undefined) throw raceFailures.nothingToUndo();
  const { git, temporary } = deps;
  const now = await treeWithFiles(git, temporary, { base: after, files });
  const treeBefore = await mergedTree(git, after, now, await git.treeOf(before));
  return () => writeFiles(git, now, treeBefore, temporary);
}

/** Makes a branch with the result. @throws EngineFailure */
export async function applyAsBranch(race: Race, lane: Lane, { git, temporary, at }: ApplyDeps): Promise<AppliedLane> {
  const result = await laneTree(git, lane, temporary);
  if (result === null) throw raceFailures.resultMissing(lane.name);
  const [title = ''] = race.prompt.trim().split('\n', 1);
  const commit =
    result.tree === (await git.treeOf(result.head))
      ? result.head
      : await git.commit(result.tree, [result.head], title.slice(0, 72) || 'Result of a race', false);
  const branch = await freeBranch(
    git,
    `vitrine/${lane.name}-${race.race_id.slice('race_'.length, 'race_'.length + 8)}`,
  );
  await git.run(['branch', '--no-track', branch, commit]);
  return { lane: lane.name, at, how: 'branch', tree: result.tree, branch, files: [] };
}

async function freeBranch(git: RaceGit, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const branch = number === 1 ? name : `${name}-${number}`;
    if ((await git.line(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) === null) return branch;
  }
}

async function mergedTree(git: RaceGit, base: string, ourTree: string, theirTree: string): Promise<string> {
  // With commits on top of the base, any version of git finds it.
  const root = await git.commit(await git.treeOf(base), [], 'base');
  const [a, b] = await Promise.all([git.commit(ourTree, [root], 'ours'), git.commit(theirTree, [root], 'theirs')]);
  const { code, stdout, stderr } = await git.ask([
    'merge-tree',
    '--write-tree',
    '-z',
    '--name-only',
    '--no-messages',
    a,
    b,
  ]);
  const [tree = '', ...conflicts] = nulFields(stdout);
  if (code === 0) return tree;
  if (code === 1) throw raceFailures.applyConflict([...new Set(conflicts)]);
  throw /usage: git merge-tree/.test(stderr)
    ? raceFailures.gitTooOld()
    : raceFailures.gitFailed('merge-tree', stderr.trim());
}

/** Refs keep both states for an undo until the race is cleaned up. */
async function keepTrees(race: Race, trees: { readonly before: string; readonly after: string }, { git }: ApplyDeps) {
  const number = race.applied.length + 1;
  const commits: [string, string] = ['', ''];
  for (const [at, name] of (['before', 'after'] as const).entries()) {
    const commit = await git.commit(trees[name], [race.base], `Files ${name} applying a result`);
    await git.run(['update-ref', `${refsOf(race.race_id)}${name}-${number}`, commit]);
    commits[at] = commit;
  }
  return commits;
}

async function writeFiles(git: RaceGit, from: string, to: string, temporary: string): Promise<void> {
  if (from === to) return;
  const patch = path.join(temporary, 'changes.patch');
  await writePatch(git, from, to, patch);
  const { code, stderr } = await git.ask(['apply', patch]);
  if (code !== 0) throw raceFailures.gitFailed('apply', stderr.trim());
}
