import type { StoreRequest } from '../../model/session/observed.ts';
import { totalTokens, type Cost } from '../../model/usage/usage.ts';
import { estimateRequests } from '../ledger/figures.ts';
import { addUsd, subtractUsd } from '../ledger/money.ts';
import type { PriceTable } from '../prices/prices.ts';

export interface DaySpent {
  /** The reader's calendar day. */
  readonly date: string;
  /** ISO 8601: time of the last request. */
  readonly at: string;
  readonly cost: Cost;
  readonly requests: readonly StoreRequest[];
}

/**
 * Cost and requests of each day, earliest first. If only the session's cost is known, it is divided by what each day's
 * requests cost at list prices, else by tokens. A request without a time counts at `updatedAt`.
 */
export function spentByDay(
  {
    total,
    requests,
    updatedAt,
  }: { readonly total: Cost; readonly requests: readonly StoreRequest[]; readonly updatedAt: string },
  prices: PriceTable,
  dayOf: (at: string) => string,
): DaySpent[] {
  const days = new Map<string, { at: string; requests: StoreRequest[] }>();
  for (const request of requests) {
    const at = request.at ?? updatedAt;
    const date = dayOf(at);
    const day = days.get(date) ?? { at, requests: [] };
    days.set(date, day);
    if (at > day.at) day.at = at;
    day.requests.push(request);
  }
  const groups = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const costs = divide(
    total,
    groups.map(([, group]) => group.requests),
    prices,
  );
  return groups.map(([date, { at, requests: ofDay }], place) => ({
    date,
    at,
    cost: costs[place] ?? total,
    requests: ofDay,
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
