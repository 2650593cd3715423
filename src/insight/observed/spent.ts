import type { RunSpending } from '../usage/spending.ts';
import { modelsOf } from './cost.ts';
import type { DaySpent } from './spentByDay.ts';
import type { ObservedSummary } from './summary.ts';

/** Daily usage of a session from another program. */
export function observedSpent(summary: ObservedSummary, days: readonly DaySpent[]): RunSpending[] {
  return days.map(({ at, cost, requests }) => ({
    sessionId: summary.session_id,
    runId: null,
    at,
    agent: summary.agent_label,
    cost,
    models: modelsOf(requests),
  }));
}
