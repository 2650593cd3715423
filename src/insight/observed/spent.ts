import type { StoreRequest } from '../../model/session/observed.ts';
import { totalTokens, type Cost } from '../../model/usage/usage.ts';
import { estimateRequests } from '../ledger/figures.ts';
import { addUsd, subtractUsd } from '../ledger/money.ts';
import type { PriceTable } from '../prices/prices.ts';
import type { RunSpending } from '../usage/spending.ts';
import { modelsOf } from './cost.ts';
import type { OwnShare } from './countOnce.ts';
import type { ObservedSummary } from './summary.ts';

/**
 * What a session of another program used, day by day. A cost that is known for the session as a whole is divided among its days
 * by what their requests cost at list prices, else by their tokens. `dayOf` gives the reader's calendar day of a time.
 */
export function observedSpent(
  summary: ObservedSummary,
  { requests }: Pick<OwnShare, 'requests'>,
  prices: PriceTable,
  dayOf: (at: string) => string,
): RunSpending[] {
  const days = new Map<string, { at: string; requests: StoreRequest[] }>();
  for (const request of requests) {
    const at = request.at ?? summary.updated_at;
    const day = days.get(dayOf(at)) ?? { at, requests: [] };
    days.set(dayOf(at), { at: at > day.at ? at : day.at, requests: [...day.requests, request] });
  }
  const groups = [...days.values()];
  const costs = divide(
    summary.total_cost,
    groups.map((group) => group.requests),
    prices,
  );
  return groups.map(({ at, requests: ofDay }, place) => ({
    sessionId: summary.session_id,
    runId: null,
    at,
    agent: summary.agent_label,
    cost: costs[place] ?? summary.total_cost,
    models: modelsOf(ofDay),
  }));
}

function divide(total: Cost, parts: readonly (readonly StoreRequest[])[], prices: PriceTable): Cost[] {
  if (total.provenance === 'unknown' || parts.length < 2) return parts.map(() => total);
  const estimates = parts.map((part) => estimateRequests(part, prices));
  const isPriced = estimates.every(({ provenance }) => provenance === 'estimated');
  const weights = parts.map((part, at) => {
    const estimate = estimates[at];
    if (isPriced && estimate?.provenance === 'estimated') return estimate.usd;
    return part.reduce((sum, { usage }) => sum + totalTokens(usage), 0);
  });
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let left = total.usd;
  return weights.map((weight, at) => {
    const usd = at === weights.length - 1 || sum === 0 ? left : Math.round((total.usd * weight * 1e9) / sum) / 1e9;
    left = subtractUsd(left, usd);
    return { ...total, usd: addUsd(usd, 0) };
  });
}
