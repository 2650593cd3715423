import type { LastRecord } from '../../../model/session/observed.ts';
import type { LiveState } from '../../../model/observedState.ts';
import type { BriefFacts } from '../reading/factsCache.ts';

/** What is known about a session's process besides its records. */
export interface ProcessMark {
  /** The process is alive or holds the session's lock. */
  readonly pid: number | null;
  readonly source: 'process' | 'lock';
  /** As reported by the agent; absent: derived from the records. */
  readonly state?: LiveState['state'];
  /** ISO 8601. */
  readonly since?: string;
}

/** Without information about the process, a session counts as running for this long after its last record, in ms. */
const freshMs = 2 * 60_000;

const stateByLastRecord: Readonly<Record<LastRecord, LiveState['state']>> = {
  empty: 'idle',
  answering: 'running',
  tool: 'running',
  permission: 'waiting_for_permission',
  question: 'waiting_for_you',
  answered: 'idle',
  interrupted: 'idle',
  ended: 'idle',
};

/**
 * State of a session. `tells`: the agent would have left a mark if its process were alive. Otherwise, both the last
 * record and the file's modification time must be recent: a copied file is new, but its records are not.
 */
export function liveState(
  { last, lastActivityAt }: Pick<BriefFacts, 'last' | 'lastActivityAt'>,
  mark: ProcessMark | undefined,
  { tells, changedAt, now }: { readonly tells: boolean; readonly changedAt: number; readonly now: number },
): LiveState {
  const at = last.at ?? lastActivityAt;
  if (mark !== undefined) {
    return {
      state: mark.state ?? stateByLastRecord[last.state],
      since: mark.since ?? at,
      source: mark.source,
      ...(mark.pid !== null && { pid: mark.pid }),
    };
  }
  const recorded = at === null ? Number.NaN : Date.parse(at);
  const isFresh = now - recorded < freshMs && now - changedAt < freshMs;
  const state = !tells && isFresh && last.state !== 'ended' ? stateByLastRecord[last.state] : 'ended';
  return { state, since: at, source: 'record' };
}
