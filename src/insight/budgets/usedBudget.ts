import { totalTokens, type Cost, type ModelUsage } from '../../model/usage/usage.ts';
import { sumUsage } from '../ledger/modelUsage.ts';
import { addUsd, subtractUsd, usdOf } from '../ledger/money.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** What was used, as budgets count it. `usd` is the known part; `null` if nothing is known, never 0 for that. */
export interface BudgetUsage {
  readonly usd: number | null;
  readonly tokens: number;
  readonly turns: number;
  /** Milliseconds running. */
  readonly ms: number;
}

export const noUsage: BudgetUsage = { usd: null, tokens: 0, turns: 0, ms: 0 };

export function addBudgetUsage(a: BudgetUsage, b: BudgetUsage): BudgetUsage {
  const usd = a.usd === null ? b.usd : b.usd === null ? a.usd : addUsd(a.usd, b.usd);
  return { usd, tokens: a.tokens + b.tokens, turns: a.turns + b.turns, ms: a.ms + b.ms };
}

/** The increase over `before`. */
export function usageSince(now: BudgetUsage, before: BudgetUsage): BudgetUsage {
  const usd = now.usd === null ? null : subtractUsd(now.usd, before.usd ?? 0);
  return {
    usd,
    tokens: Math.max(0, now.tokens - before.tokens),
    turns: Math.max(0, now.turns - before.turns),
    ms: Math.max(0, now.ms - before.ms),
  };
}

/** A run as summaries list it. */
export interface SummaryRun {
  readonly run_id: string;
  readonly started_at: string;
  readonly completed_at?: string | undefined;
  readonly cost: Cost;
  readonly models?: readonly ModelUsage[] | undefined;
  readonly responses?: number | undefined;
  readonly active_ms?: number | undefined;
}

/** A session with its newest runs; `omitted` counts older ones. */
export interface SessionRuns {
  readonly summary: Pick<
    SessionSummary,
    | 'session_id'
    | 'parent_session_id'
    | 'race_id'
    | 'executor_session_ids'
    | 'executor_type'
    | 'executor_profile'
    | 'project_dir'
    | 'created_at'
    | 'total_cost'
    | 'total_usage'
    | 'turns'
    | 'recording'
    | 'imported'
  >;
  readonly turns: readonly SummaryRun[];
  readonly omitted: number;
}

/** One run; or the part of a session's totals that no listed run has, on the day on which the session was created. */
export interface RunUsage {
  readonly runId: string | null;
  /** ISO 8601: when it ended, or began if it is running. */
  readonly at: string;
  readonly used: BudgetUsage;
}

/** `now`: epoch milliseconds, for an active run. */
export function runsOf({ summary, turns, omitted }: SessionRuns, now: number): RunUsage[] {
  const known = turns.map((run): RunUsage => ({
    runId: run.run_id,
    at: run.completed_at ?? run.started_at,
    used: usedOfRun(run, now),
  }));
  if (omitted === 0 && turns.length > 0) return known;
  const sum = known.reduce((all, { used }) => addBudgetUsage(all, used), noUsage);
  const total: BudgetUsage = {
    usd: usdOf(summary.total_cost),
    tokens: totalTokens(summary.total_usage),
    turns: summary.turns ?? 0,
    ms: 0,
  };
  return [{ runId: null, at: summary.created_at, used: { ...usageSince(total, sum), ms: 0 } }, ...known];
}

function usedOfRun(run: SummaryRun, now: number): BudgetUsage {
  const end = run.completed_at === undefined ? now : Date.parse(run.completed_at);
  return {
    usd: usdOf(run.cost),
    tokens: totalTokens(sumUsage(run.models ?? [])),
    turns: run.responses ?? 0,
    ms: run.active_ms ?? Math.max(0, end - Date.parse(run.started_at)),
  };
}
