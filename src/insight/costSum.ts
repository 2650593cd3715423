import type { Cost, CostSum } from '../model/usage.ts';
import { addUsd } from './money.ts';

export const noCosts: CostSum = { usd: null, estimatedUsd: 0, unknown: 0 };

export function addCost(sum: CostSum, cost: Cost): CostSum {
  if (cost.provenance === 'unknown') return { ...sum, unknown: sum.unknown + 1 };
  return {
    ...sum,
    usd: addUsd(sum.usd ?? 0, cost.usd),
    estimatedUsd: cost.provenance === 'estimated' ? addUsd(sum.estimatedUsd, cost.usd) : sum.estimatedUsd,
  };
}
