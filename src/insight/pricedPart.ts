import type { RunFacts } from '../model/facts.ts';
import { addUsd } from './money.ts';
import { findPrice, isEmptyUsage, priceOfRequest, type PriceTable } from './prices.ts';

/**
 * What a run has cost at least, by the price table: its messages whose model has a price; `usd` is `null` where none has.
 * `unpriced`: the first model that has none.
 */
export function pricedPart(
  { messages, model }: RunFacts,
  prices: PriceTable,
): { readonly usd: number | null; readonly unpriced?: string } {
  let usd: number | null = null;
  let unpriced: string | undefined;
  for (const { usage, terms, model: own } of messages) {
    const name = own ?? model;
    if (name === null || isEmptyUsage(usage)) continue;
    const price = findPrice(prices, name);
    if (price === undefined) unpriced ??= name;
    else usd = addUsd(usd ?? 0, priceOfRequest(usage, price, terms));
  }
  return { usd, ...(unpriced !== undefined && { unpriced }) };
}
