import type { SessionSummary } from '../../model/session/summary.ts';
import type { CostSum } from '../../model/usage/usage.ts';
import { uncachedResumeCost } from '../session/uncachedResumeCost.ts';
import { addCost, noCosts } from '../ledger/money.ts';
import type { PriceTable } from '../prices/prices.ts';

/** Below this many US dollars, no warning is shown. */
const negligibleUsd = 0.01;
/** For this long, providers cache a conversation, so that reading it is cheap; in ms. */
const cachedMs = 5 * 60_000;

/** Cost of reading these conversations again; `null` if it is negligible. `now`: epoch ms. */
export function resumeCost(
  summaries: readonly Pick<SessionSummary, 'updated_at' | 'context_tokens' | 'model'>[],
  prices: PriceTable,
  now: number,
): CostSum | null {
  const cold = summaries.filter(({ updated_at: at }) => now - Date.parse(at) > cachedMs);
  const sum = cold.map((summary) => uncachedResumeCost(summary, prices)).reduce(addCost, noCosts);
  return (sum.usd ?? 0) < negligibleUsd ? null : sum;
}
