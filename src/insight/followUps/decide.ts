import type { Trigger } from '../../model/agent/followUps.ts';
import type { TriggerType } from '../../model/transcript/metadata.ts';
import type { UnfinishedWork } from './conversation.ts';
import { triggerPrompts } from './prompts.ts';
import { skipQuietHours } from './quietHours.ts';
import type { FollowUpRules } from './rules.ts';

/** All facts about a session on which the decision depends. Times are epoch milliseconds. */
export interface FollowUpFacts {
  /** Ended normally, and can be resumed. */
  readonly isIdle: boolean;
  /** Time of the last activity. */
  readonly since: number;
  /** Number of entries, to detect new messages. */
  readonly total: number;
  /** A due follow-up was cancelled at this number of entries. */
  readonly cancelledAt?: number | undefined;
  readonly unfinishedWork: UnfinishedWork;
  readonly sent: SentFollowUps;
  /** Follow-ups sent on the day of `now`: for all agents, and for this one. */
  readonly sentToday: { readonly all: number; readonly agent: number };
}

export interface SentFollowUps {
  /** Number of follow-ups since a person last started a run. */
  readonly count: number;
  /** Cost of all follow-ups in this session; `null` if one is unknown. */
  readonly usd: number | null;
  /** The newest follow-up and its cost. */
  readonly last?: Trigger & { readonly usd: number | null };
}

export interface DecisionInputs {
  readonly now: number;
  readonly minuteOfDay: (at: number) => number;
  /** Whether a person paused all follow-ups. */
  readonly isPaused: boolean;
}

export type NoFollowUpReason =
  | 'off'
  | 'paused'
  | 'not_idle'
  | 'too_old'
  | 'nothing_open'
  /** The last follow-up had the same reason, and nothing has changed since. */
  | 'nothing_new'
  | 'cancelled'
  | 'session_limit'
  | 'day_limit'
  | 'budget_used_up'
  | 'budget_unknown'
  | 'always_quiet';

export type FollowUpDecision =
  | {
      readonly due: true;
      /** Epoch milliseconds, not before `now`. */
      readonly at: number;
      /** When it would be due without quiet hours. */
      readonly quietUntil: number;
      readonly delayMs: number;
      readonly trigger: Trigger;
      readonly prompt: string;
      /** `total` of the facts. */
      readonly total: number;
      /** What is left of its budget in US dollars. */
      readonly usd?: number;
    }
  | { readonly due: false; readonly why: NoFollowUpReason };

/** Work that was left more than a day ago gets no follow-up. */
const oldest = 24 * 60 * 60_000;

/** The trigger that applies and when it is due: the first that applies, from specific to general. */
export function decideFollowUp(
  facts: FollowUpFacts,
  rules: FollowUpRules | null,
  { now, minuteOfDay, isPaused }: DecisionInputs,
): FollowUpDecision {
  const not = (why: NoFollowUpReason): FollowUpDecision => ({ due: false, why });
  if (rules === null) return not('off');
  if (isPaused) return not('paused');
  if (!facts.isIdle) return not('not_idle');
  // A clock that was set back must not move the past into the future.
  const since = Math.min(facts.since, now);
  if (now - since > oldest + rules.delayMs) return not('too_old');
  if (facts.cancelledAt !== undefined && facts.cancelledAt >= facts.total) return not('cancelled');
  const { sent, sentToday, unfinishedWork } = facts;
  if (sent.count >= rules.perSession) return not('session_limit');
  if (sentToday.all >= rules.perDay || sentToday.agent >= rules.perDayOfAgent) return not('day_limit');
  const left = rules.usd === undefined || sent.usd === null ? null : rules.usd - sent.usd;
  if (rules.usd !== undefined && left === null) return not('budget_unknown');
  // The next one may cost as much as the last: the rest of the budget must cover it.
  if (left !== null && (left <= 0 || left < (sent.last?.usd ?? 0))) return not('budget_used_up');
  const trigger = triggerOf(unfinishedWork, rules);
  if (trigger === null) return not('nothing_open');
  if (isRepeated(trigger, sent.last, unfinishedWork)) return not('nothing_new');
  const quietUntil = skipQuietHours(now, rules.quiet, minuteOfDay);
  const at = skipQuietHours(Math.max(since + rules.delayMs, now), rules.quiet, minuteOfDay);
  if (at === null || quietUntil === null) return not('always_quiet');
  return {
    due: true,
    at,
    quietUntil,
    delayMs: rules.delayMs,
    trigger,
    prompt: triggerPrompts[trigger.type],
    total: facts.total,
    ...(left !== null && { usd: left }),
  };
}

function triggerOf({ undecided, endsWithQuestion, todos }: UnfinishedWork, rules: FollowUpRules): Trigger | null {
  const reasons: readonly (readonly [TriggerType, string | null])[] = [
    ['waiting_for_decision', undecided === null ? null : `${asked[undecided]} is waiting for a decision`],
    ['question_unanswered', endsWithQuestion ? 'The last message ends with an unanswered question' : null],
    ['task_incomplete', todos === null || todos.open === 0 ? null : `${todos.open} of ${todos.all} to-dos are open`],
    ['check_in', `No activity for ${spanText(rules.delayMs)}`],
  ];
  for (const [type, reason] of reasons) {
    if (reason !== null && rules.triggers.includes(type)) return { type, reason };
  }
  return null;
}

/** A question counts as new if the agent has written since. Check-ins are sent even if nothing is new. */
function isRepeated({ type, reason }: Trigger, last: Trigger | undefined, { isRepeat }: UnfinishedWork): boolean {
  if (type === 'check_in' || last?.type !== type || last.reason !== reason) return false;
  return type !== 'question_unanswered' || isRepeat;
}

const asked = { permission: 'A permission', question: 'A question', plan: 'A plan' } as const;

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
