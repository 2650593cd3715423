import type { LastRecord, StoreFacts } from '../../../model/session/observed.ts';
import type { LiveState } from '../../../model/observedState.ts';

/** What is known of a session's process besides its records. */
export interface ProcessMark {
  /** It lives, or holds the session's lock. */
  readonly pid: number | null;
  readonly source: 'process' | 'lock';
  /** As the agent itself says it; absent: the records tell. */
  readonly state?: LiveState['state'];
  /** ISO 8601. */
  readonly since?: string;
}

/** Without a word about the process, a session counts as running for this long after its last record, in ms. */
const freshMs = 2 * 60_000;

const byRecord: Readonly<Record<LastRecord, LiveState['state']>> = {
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
 * How a session stands. `tells`: the agent would have left a mark if its process were alive. Where it does not, the last
 * record and the change of the file decide together: a copied file is new, and its records are not.
 */
export function liveState(
  { last, lastActivityAt }: StoreFacts,
  mark: ProcessMark | undefined,
  { tells, changedAt, now }: { readonly tells: boolean; readonly changedAt: number; readonly now: number },
): LiveState {
  const at = last.at ?? lastActivityAt;
  if (mark !== undefined) {
    return {
      state: mark.state ?? byRecord[last.state],
      since: mark.since ?? at,
      source: mark.source,
      ...(mark.pid !== null && { pid: mark.pid }),
    };
  }
  const recorded = at === null ? Number.NaN : Date.parse(at);
  const isFresh = now - recorded < freshMs && now - changedAt < freshMs;
  const state = !tells && isFresh && last.state !== 'ended' ? byRecord[last.state] : 'ended';
  return { state, since: at, source: 'record' };
}
