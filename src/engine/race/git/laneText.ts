import { lstat, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { Race } from '../../../model/race/race.ts';
import type { RaceGit } from './raceGit.ts';

/** Maximum size of a file in bytes. */
const maxBytes = 10 << 20;

interface LaneRequest {
  readonly lane: string | null;
  /** As the worktree has it, or as it was at the start. */
  readonly side: 'start' | 'result';
  /** Relative to the top of the worktree, with `/`. */
  readonly file: string;
}

/** The text of a file of a lane; `null`: too large. @throws EngineFailure, file system errors */
export async function laneText(
  race: Race,
  { lane: name, side, file }: LaneRequest,
  git: RaceGit,
): Promise<string | null> {
  if (side === 'start') return git.at(race.repository).run(['cat-file', 'blob', `${race.base}:${file}`]);
  const lane = race.lanes.find((candidate) => candidate.name === name);
  if (lane === undefined) return '';
  const top = path.resolve(lane.worktree);
  const place = path.resolve(top, file);
  if (!place.startsWith(`${top}${path.sep}`)) return '';
  const found = await lstat(place);
  // As git sees it: a link is not followed.
  if (found.isSymbolicLink()) return readlink(place);
  return found.size > maxBytes ? null : readFile(place, 'utf8');
}
