import type { SessionSummary } from '../../model/session/summary.ts';
import type { Cost } from '../../model/usage/usage.ts';
import { unknownCost } from '../ledger/money.ts';
import { findPrice, priceOfRequest, priceTableRef, type PriceTable } from '../prices/prices.ts';

/**
 * What it costs to read a conversation in again when nothing of it is cached any more, before the first answer. Only its
 * size and the price of its model decide; what an answer then costs no one knows.
 */
export function coldStart(
  { context_tokens: tokens, model }: Pick<SessionSummary, 'context_tokens' | 'model'>,
  prices: PriceTable,
): Cost {
  if (tokens === undefined) return unknownCost('The agent does not say how large the conversation is.');
  if (model === null) return unknownCost('The agent did not say which model it used.');
  const price = findPrice(prices, model);
  if (price === undefined) return unknownCost(`No price is known for the model ${model}.`);
  // Where writing to the cache has no price of its own, it is the price of other input.
  const usd = priceOfRequest({ cacheWrite: tokens }, price);
  return { provenance: 'estimated', usd, priceTable: priceTableRef(prices) };
}
