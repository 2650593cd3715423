import type { PriceTable } from '../prices/prices.ts';
import type { RunSpending } from '../usage/spending.ts';
import { modelsOf } from './cost.ts';
import type { SessionShare } from './countOnce.ts';
import { spentByDay } from './spentByDay.ts';
import type { ObservedSummary } from './summary.ts';

/** Daily usage of a session of another program. `dayOf` returns the reader's calendar day of a time. */
export function observedSpent(
  summary: ObservedSummary,
  { requests }: Pick<SessionShare, 'requests'>,
  prices: PriceTable,
  dayOf: (at: string) => string,
): RunSpending[] {
  const about = { total: summary.total_cost, requests, updatedAt: summary.updated_at };
  return spentByDay(about, prices, dayOf).map(({ at, cost, requests: ofDay }) => ({
    sessionId: summary.session_id,
    runId: null,
    at,
    agent: summary.agent_label,
    cost,
    models: modelsOf(ofDay),
  }));
}
