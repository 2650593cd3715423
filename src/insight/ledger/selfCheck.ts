import type { Cost, ModelUsage } from '../../model/usage/usage.ts';
import { addUsd } from './money.ts';
import { findPrice, priceOf, type PriceTable } from '../prices/prices.ts';

/** What the price table makes of the tokens of a sum that the agent reported: US dollars, and by how much that is off. */
export interface SelfCheck {
  readonly estimate: number;
  /** Of what was reported; above 0 where the estimate is more. */
  readonly percent: number;
}

/** `null` where there is nothing to compare: no reported cost, tokens that are not known by model, or a model without a price. */
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
