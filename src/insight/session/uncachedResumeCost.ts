import type { SessionSummary } from '../../model/session/summary.ts';
import type { Cost } from '../../model/usage/usage.ts';
import { unknownCost } from '../ledger/money.ts';
import { findPrice, priceOfRequest, priceTableRef, type PriceTable } from '../prices/prices.ts';

/**
 * Cost of reading a conversation again without a cache, before the first answer. Depends only on its size and its model's
 * price; the cost of the answer is unknown.
 */
export function uncachedResumeCost(
  { context_tokens: tokens, model }: Pick<SessionSummary, 'context_tokens' | 'model'>,
  prices: PriceTable,
): Cost {
  if (tokens === undefined) return unknownCost('The agent does not report the size of the conversation.');
  if (model === null) return unknownCost('The agent did not report its model.');
  const price = findPrice(prices, model);
  if (price === undefined) return unknownCost(`No price is known for the model ${model}.`);
  // Without a price for cache writes, the input price applies.
  const usd = priceOfRequest({ cacheWrite: tokens }, price);
  return { provenance: 'estimated', usd, priceTable: priceTableRef(prices) };
}
