import type { ComparedLane, Comparison, Overlap } from '../../../model/race/comparison.ts';
import type { Lane, Race } from '../../../model/race/race.ts';
import type { SessionHandle } from '../../api.ts';
import { EngineFailure } from '../../failures/failures.ts';
import { laneDiff, overlapsOf, pairs } from './compareLanes.ts';
import { laneLabel } from '../laneLabel.ts';
import type { RaceGit } from '../git/raceGit.ts';
import { sessionFigures, type SessionFigures } from './sessionFigures.ts';

type OpenSession = (sessionId: string) => Promise<SessionHandle>;

interface RaceSources {
  readonly git: RaceGit;
  readonly temporary: string;
  readonly open: OpenSession;
}

/** All results of a race: what git shows of the worktrees, and what the sessions recorded. */
export async function compareRace(race: Race, { git, temporary, open }: RaceSources): Promise<Comparison> {
  const results: ComparedLane[] = [];
  const diffs = [];
  for (const lane of race.lanes) {
    const diff = await laneDiff(race, lane, git, temporary);
    const { session_id: id } = lane;
    const session = id === undefined ? undefined : await figuresOf(id, open).catch(undefinedIfMissing);
    diffs.push(diff);
    results.push({ ...unknownFigures(lane), ...session, ...laneFacts(lane, session), files: limitedList(diff.files) });
  }
  return {
    race_id: race.race_id,
    prompt: race.prompt,
    check: race.check ?? null,
    folder: race.folder,
    results,
    overlaps: overlapsOf(diffs),
  };
}

/** Compares sessions outside a race by their records. @throws EngineFailure if one does not exist */
export async function compareSessions(ids: readonly string[], open: OpenSession): Promise<Comparison> {
  const results = await Promise.all(
    ids.map(async (id): Promise<ComparedLane> => ({ ...nothing, name: id, ...(await figuresOf(id, open)) })),
  );
  return { race_id: null, prompt: null, check: null, folder: null, results, overlaps: pairs(results).map(findOverlap) };
}

const nothing = { check: null, setup: null, worktree: null, branch: null };

function findOverlap([a, b]: [ComparedLane, ComparedLane]): Overlap {
  const others = new Set(b.files?.map(({ path }) => path));
  const files = a.files?.map(({ path }) => path).filter((path) => others.has(path)) ?? [];
  return {
    a: a.name,
    b: b.name,
    files,
    ...(files.length === 0 ? { lines: 0, same: [] } : { lines: null, same: null }),
  };
}

async function figuresOf(id: string, open: OpenSession): Promise<SessionFigures> {
  const handle = await open(id);
  try {
    return await sessionFigures(handle);
  } finally {
    handle.dispose();
  }
}

/** Its session was deleted. */
function undefinedIfMissing(error: unknown): undefined {
  if (!EngineFailure.is(error)) throw error;
}

function laneFacts(lane: Lane, session: SessionFigures | undefined) {
  return {
    name: lane.name,
    label: lane.model === undefined && session !== undefined ? session.label : laneLabel(lane),
    reason: lane.error ?? session?.reason ?? null,
    ms: lane.run_ms ?? session?.ms ?? null,
    check: lane.check ?? null,
    setup: lane.setup ?? null,
    worktree: lane.worktree,
    branch: lane.branch,
  };
}

function unknownFigures({ agent, model, session_id }: Lane) {
  return {
    agent,
    model: model ?? null,
    session_id: session_id ?? null,
    title: null,
    outcome: null,
    ms: null,
    cost: { provenance: 'unknown', reason: 'The agent did not run.' } as const,
    tokens: null,
    unsupported: null,
  };
}

function limitedList<T>(files: readonly T[] | null): T[] | null {
  return files === null ? null : [...files];
}
