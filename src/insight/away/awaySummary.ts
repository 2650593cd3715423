import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

type AwayRow = Pick<SessionSummary, 'session_id' | 'status' | 'outcome' | 'updated_at' | 'needs_you' | 'observed'>;

/** When a window was last open on a folder. */
export interface LastVisit {
  /** ISO 8601. */
  readonly at: string;
  /** Sessions that were running then. */
  readonly running: ReadonlySet<string>;
}

/** Sessions by what happened to them since the last visit, each in one group, newest first. */
export interface AwaySummary<Row> {
  readonly needsYou: readonly Row[];
  readonly interrupted: readonly Row[];
  readonly failed: readonly Row[];
  readonly stopped: readonly Row[];
  readonly finished: readonly Row[];
  /** Started or still running, and not waiting for anyone. */
  readonly running: readonly Row[];
}

/** A session that ran at the last visit and no longer runs has changed, regardless of its times. */
export function awaySummary<Row extends AwayRow>(rows: readonly Row[], { at, running }: LastVisit): AwaySummary<Row> {
  const newest = [...rows].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const live = newest.filter(({ status }) => isSessionLive(status));
  const ended = newest.filter(
    ({ session_id: id, status, updated_at: changed }) => !isSessionLive(status) && (changed > at || running.has(id)),
  );
  const ofOutcome = (outcome: SessionSummary['outcome']): Row[] => ended.filter((row) => row.outcome === outcome);
  return {
    needsYou: live.filter(({ needs_you: needs }) => needs !== undefined),
    interrupted: ofOutcome('interrupted'),
    failed: ofOutcome('failed'),
    stopped: ofOutcome('stopped'),
    // In a terminal that is open, an agent that has answered waits for the next prompt.
    finished: ended.filter(({ outcome, observed }) => outcome === 'completed' || observed?.live.state === 'idle'),
    running: live.filter(({ needs_you: needs }) => needs === undefined),
  };
}

/** What is new to a returning user: ended sessions, and requests that began to wait. */
export function countUpdates(summary: AwaySummary<AwayRow>, { at }: LastVisit): number {
  const { needsYou, interrupted, failed, stopped, finished } = summary;
  const asked = needsYou.filter(({ needs_you: needs }) => needs !== undefined && needs.since > at);
  return asked.length + interrupted.length + failed.length + stopped.length + finished.length;
}
