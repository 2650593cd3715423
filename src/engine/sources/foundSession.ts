import type { SessionShare } from '../../insight/observed/countOnce.ts';
import { observedSummary, type ObservedFacts, type ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import { localDay } from '../usage/localDay.ts';
import type { SessionFiles } from './groups.ts';
import { liveSource } from './live/agents.ts';
import { liveState, type ProcessMark } from './live/marks.ts';
import type { KnownFacts } from './reading/factsCache.ts';
import type { Notes } from './reading/sessionReader.ts';

/** A session with what is needed to read it. */
export interface FoundSession extends KnownFacts {
  readonly id: string;
  readonly files: SessionFiles;
  readonly notes: Notes;
  readonly mark: ProcessMark | undefined;
}

/** Adds what its row shows: its own share without copied requests, and the listed session that it comes from. */
export interface FollowedSession extends FoundSession, Pick<ObservedFacts, 'parentId'> {
  readonly share: SessionShare;
}

/** Data for the session's row. `now`: epoch milliseconds. */
export function observedOf(
  { id, files, facts, mark, problem }: FoundSession,
  now: number,
): Omit<ObservedFacts, 'share' | 'parentId'> {
  const { format } = files;
  const main = files.files.find(({ part }) => part.role === 'main') ?? files.files.at(-1);
  const changedAt = main?.mtimeMs ?? 0;
  const tells = liveSource(format.agent)?.tells(facts) ?? false;
  const live = liveState(facts, mark, { tells, changedAt, now });
  return {
    id,
    agent: format.agent,
    label: format.label,
    facts,
    live,
    path: main?.path ?? '',
    changedAt: new Date(changedAt).toISOString(),
    problem,
  };
}

/** Summary for lists. */
export function summaryOf(followed: FollowedSession, prices: PriceTable, now: number): ObservedSummary {
  const { share, parentId } = followed;
  return observedSummary({ ...observedOf(followed, now), share, parentId }, prices, localDay);
}
