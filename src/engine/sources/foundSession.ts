import type { SessionShare } from '../../insight/observed/countOnce.ts';
import { observedRow, type ObservedFacts, type ObservedRow } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import { localDay } from '../usage/localDay.ts';
import type { LiveState } from '../../model/observedState.ts';
import type { PlacedFile, SessionFiles } from './groups.ts';
import { liveSource } from './live/agents.ts';
import { liveState, type ProcessMark } from './live/marks.ts';
import type { BriefFacts, BriefSession, SessionFacts } from './reading/factsCache.ts';
import type { Notes } from './reading/sessionReader.ts';

/** A listed session, as far as it stays in memory. */
export interface FoundSession extends BriefSession {
  readonly id: string;
  readonly files: SessionFiles;
  readonly notes: Notes;
  readonly mark: ProcessMark | undefined;
}

/**
 * A session with what is needed to read it and to show its row: its own share without copied requests, and the listed session
 * that it comes from.
 */
export interface FollowedSession extends SessionFacts, Pick<ObservedFacts, 'parentId'> {
  readonly id: string;
  readonly files: SessionFiles;
  readonly notes: Notes;
  readonly mark: ProcessMark | undefined;
  readonly share: SessionShare;
}

/** `now`: epoch milliseconds. */
export function liveOf(files: SessionFiles, facts: BriefFacts, mark: ProcessMark | undefined, now: number): LiveState {
  const tells = liveSource(files.format.agent)?.leavesMarks(facts) ?? false;
  return liveState(facts, mark, { tells, changedAt: mainFile(files)?.mtimeMs ?? 0, now });
}

export function mainFile({ files }: SessionFiles): PlacedFile | undefined {
  return files.find(({ part }) => part.role === 'main') ?? files.at(-1);
}

/** Data for the session's row. `now`: epoch milliseconds. */
export function observedFactsOf(
  { id, files, facts, mark, problem }: Omit<FollowedSession, 'share' | 'parentId'>,
  now: number,
): Omit<ObservedFacts, 'share' | 'parentId'> {
  const { format } = files;
  const main = mainFile(files);
  return {
    id,
    agent: format.agent,
    label: format.label,
    facts,
    live: liveOf(files, facts, mark, now),
    path: main?.path ?? '',
    changedAt: new Date(main?.mtimeMs ?? 0).toISOString(),
    problem,
  };
}

/** Summary for lists, and usage per day. `now`: epoch milliseconds. */
export function rowOf(followed: FollowedSession, prices: PriceTable, now: number): ObservedRow {
  const { share, parentId } = followed;
  return observedRow({ ...observedFactsOf(followed, now), share, parentId }, prices, localDay);
}

/** Whether files and processes are as before. */
export function isUnchanged(before: FoundSession, now: FoundSession): boolean {
  return before.stamp === now.stamp && before.problem === now.problem && isSameMark(before.mark, now.mark);
}

export function isSameMark(a: ProcessMark | undefined, b: ProcessMark | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
