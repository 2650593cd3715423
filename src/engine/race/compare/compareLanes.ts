import { changedRanges, commonLines, type ChangedRanges } from '../../../insight/race/changedRanges.ts';
import type { ComparedFile, Overlap } from '../../../model/race/comparison.ts';
import type { Lane, Race } from '../../../model/race/race.ts';
import { EngineFailure } from '../../failures/failures.ts';
import { laneTree } from '../git/laneTree.ts';
import type { RaceGit } from '../git/raceGit.ts';
import { nulFields } from '../git/trees.ts';

/** What one lane changed; `null`: unknown, or deleted. */
export interface LaneDiff {
  readonly name: string;
  readonly files: readonly ComparedFile[] | null;
  readonly ranges: readonly ChangedRanges[] | null;
}

const changes = { A: 'added', D: 'deleted' } as const;

export async function laneDiff(race: Race, lane: Lane, git: RaceGit, temporary: string): Promise<LaneDiff> {
  const unknown = { name: lane.name, files: null, ranges: null };
  if (!lane.started) return unknown;
  try {
    const result = await laneTree(git, lane, temporary);
    if (result === null) return unknown;
    const form = ['diff-tree', '-r', '-z', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'];
    const between = [race.base, result.tree];
    const numbers = nulFields(await git.run([...form, '--numstat', ...between]));
    const states = nulFields(await git.run([...form, '--name-status', ...between]));
    const diff = await git.run([
      ...form.filter((option) => option !== '-z'),
      '-p',
      '--full-index',
      '--unified=0',
      ...between,
    ]);
    const files = numbers.map((line, at): ComparedFile => {
      const [added = '-', removed = '-', ...path] = line.split('\t');
      const state = states[at * 2];
      return {
        path: path.join('\t'),
        change: state === 'A' || state === 'D' ? changes[state] : 'changed',
        // Binary files have no lines.
        added: added === '-' ? null : Number(added),
        removed: removed === '-' ? null : Number(removed),
      };
    });
    const paths = files.map(({ path }) => path);
    return { name: lane.name, files, ranges: changedRanges(diff, paths) };
  } catch (error) {
    if (EngineFailure.is(error)) return unknown;
    throw error;
  }
}

/** The overlap of each pair of results whose changes are known. */
export function overlapsOf(results: readonly LaneDiff[]): Overlap[] {
  return pairs(results).flatMap(([a, b]): Overlap[] => {
    if (a.ranges === null || b.ranges === null) return [];
    const others = new Map(b.ranges.map((change) => [change.path, change]));
    const both = a.ranges.flatMap((change) => {
      const other = others.get(change.path);
      return other === undefined ? [] : [{ path: change.path, a: change, b: other }];
    });
    return [
      {
        a: a.name,
        b: b.name,
        files: both.map(({ path }) => path),
        lines: both.reduce((sum, pair) => sum + commonLines(pair.a.ranges, pair.b.ranges), 0),
        same: both.filter((pair) => pair.a.next === pair.b.next).map(({ path }) => path),
      },
    ];
  });
}

export function pairs<T>(all: readonly T[]): [T, T][] {
  return all.flatMap((a, at) => all.slice(at + 1).map((b): [T, T] => [a, b]));
}
