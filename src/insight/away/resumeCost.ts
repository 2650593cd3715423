import type { SessionSummary } from '../../model/session/summary.ts';
import type { CostSum } from '../../model/usage/usage.ts';
import { coldStart } from '../session/coldStart.ts';
import { addCost, noCosts } from '../ledger/money.ts';
import type { PriceTable } from '../prices/prices.ts';

/** Below this many US dollars no one needs a warning. */
const negligibleUsd = 0.01;
/** What agents' providers keep of a conversation is cheap to read for this time; in ms. */
const cachedMs = 5 * 60_000;

/** What it costs to read these conversations in again; `null` where that is next to nothing. `now`: epoch ms. */
export function resumeCost(
  summaries: readonly Pick<SessionSummary, 'updated_at' | 'context_tokens' | 'model'>[],
  prices: PriceTable,
  now: number,
): CostSum | null {
  const cold = summaries.filter(({ updated_at: at }) => now - Date.parse(at) > cachedMs);
  const sum = cold.map((summary) => coldStart(summary, prices)).reduce(addCost, noCosts);
  return (sum.usd ?? 0) < negligibleUsd ? null : sum;
}
