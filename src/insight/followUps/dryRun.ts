import type { UnfinishedWork } from './conversation.ts';
import { decideFollowUp, type SentFollowUps, type NoFollowUpReason } from './decide.ts';
import type { FollowUpRules } from './rules.ts';
import type { Trigger } from '../../model/agent/followUps.ts';

/** A run and the work that was unfinished at its end. Times are epoch milliseconds. */
export interface EndedRun {
  readonly sessionId: string;
  /** The agent whose daily limit applies. */
  readonly scope: string;
  readonly endedAt: number;
  /** When the session was resumed; absent: it was not. */
  readonly nextAt?: number;
  /** The run ended normally, without an error. */
  readonly isCompleted: boolean;
  /** Entries of the session at that time. */
  readonly total: number;
  readonly unfinishedWork: UnfinishedWork;
  /** State at that time, as recorded. */
  readonly sent: SentFollowUps;
}

/** Result of a dry run for one run. `resumed`: the session was resumed before a follow-up was due. */
export type DryRunOutcome =
  | { readonly sent: true; readonly at: number; readonly trigger: Trigger; readonly prompt: string }
  | { readonly sent: false; readonly why: NoFollowUpReason | 'resumed' };

export interface DryRunRow {
  readonly run: EndedRun;
  /** Follow-ups are off for the session; they are simulated as if they were on. */
  readonly isOff: boolean;
  readonly outcome: DryRunOutcome;
}

/** The runs of one session. */
export interface DryRunSession {
  readonly runs: readonly EndedRun[];
  readonly rules: FollowUpRules | null;
  readonly isOff: boolean;
}

interface DryRunClock {
  readonly minuteOfDay: (at: number) => number;
  /** Local calendar day. */
  readonly dayOf: (at: number) => string;
}

/**
 * Which follow-ups would have been sent after past runs, with today's rules, in the order of their due times. Counts
 * them towards daily limits. What an agent would have answered is unknown, so each run is evaluated separately.
 */
export function dryRun(sessions: readonly DryRunSession[], { minuteOfDay, dayOf }: DryRunClock): DryRunRow[] {
  const perDay = new Map<string, number>();
  const count = (at: number, scope: string): number => perDay.get(`${dayOf(at)} ${scope}`) ?? 0;
  const decideAt = ({ run, rules }: { run: EndedRun; rules: FollowUpRules | null }, at: number) => {
    const { isCompleted: isIdle, endedAt, total, unfinishedWork, sent } = run;
    const sentToday = { all: count(at, all), agent: count(at, `of ${run.scope}`) };
    const facts = { isIdle, since: endedAt, total, unfinishedWork, sent, sentToday };
    return decideFollowUp(facts, rules, { now: endedAt, minuteOfDay, isPaused: false });
  };
  const planned = sessions
    .flatMap(({ runs, rules, isOff }) => runs.map((run) => ({ run, rules, isOff })))
    .map((ended) => ({ ...ended, decision: decideAt(ended, ended.run.endedAt) }))
    .sort((a, b) => dueAt(a) - dueAt(b));
  return planned.map((plan) => {
    const { run, isOff } = plan;
    // The daily limits are those of the day on which it is sent.
    const decision = plan.decision.due ? decideAt(plan, plan.decision.at) : plan.decision;
    if (!decision.due) return { run, isOff, outcome: { sent: false, why: decision.why } };
    const { at, trigger, prompt } = decision;
    if (run.nextAt !== undefined && run.nextAt <= at) return { run, isOff, outcome: { sent: false, why: 'resumed' } };
    for (const scope of [all, `of ${run.scope}`]) perDay.set(`${dayOf(at)} ${scope}`, count(at, scope) + 1);
    return { run, isOff, outcome: { sent: true, at, trigger, prompt } };
  });
}

const all = 'all';

function dueAt({ run, decision }: { readonly run: EndedRun; readonly decision: ReturnType<typeof decideFollowUp> }) {
  return decision.due ? decision.at : run.endedAt;
}
