import type { Cost, ModelUsage } from '../../model/usage/usage.ts';
import { addUsd } from './money.ts';
import { findPrice, priceOf, type PriceTable } from '../prices/prices.ts';

/** The price table's cost for tokens whose cost the agent reported, in US dollars, and the difference. */
export interface SelfCheck {
  readonly estimate: number;
  /** Relative to the reported cost; above 0 if the estimate is higher. */
  readonly percent: number;
}

/** `null` if there is nothing to compare: no reported cost, no tokens by model, or a model without a price. */
export function selfCheck(reported: Cost, models: readonly ModelUsage[] | null, prices: PriceTable): SelfCheck | null {
  if (reported.provenance !== 'reported' || reported.usd <= 0 || models === null || models.length === 0) return null;
  let estimate = 0;
  for (const { model, ...usage } of models) {
    const price = findPrice(prices, model);
    if (price === undefined) return null;
    estimate = addUsd(estimate, priceOf(usage, price));
  }
  return { estimate, percent: (estimate / reported.usd - 1) * 100 };
}
