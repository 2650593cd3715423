import type { SessionSummary } from '../../model/summary.ts';
import type { CostSum } from '../../model/usage.ts';
import { coldStart } from '../coldStart.ts';
import { addCost, noCosts } from '../costSum.ts';
import type { PriceTable } from '../prices.ts';

/** Below this many US dollars nobody needs a warning. */
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
