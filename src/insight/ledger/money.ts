import type { Cost, CostSum } from '../../model/usage/usage.ts';

/**
 * Rounds computed US dollars to 12 decimal places, to remove floating-point errors. Prices per token have at most 10, so sums
 * are exact up to $4,000, and within `1e-9` up to a million. Printed figures are never rounded: they stay as they are to the
 * last digit.
 */
export function cleanUsd(usd: number): number {
  return Number(usd.toFixed(12));
}

export function addUsd(a: number, b: number): number {
  if (a === 0) return b;
  if (b === 0) return a;
  return cleanUsd(a + b);
}

/** Never below 0. */
export function subtractUsd(a: number, b: number): number {
  if (b === 0) return a;
  return Math.max(0, cleanUsd(a - b));
}

export function scaleUsd(usd: number, share: number): number {
  return cleanUsd(usd * share);
}

/** Equal except for floating-point errors from a different order of addition. */
export function isSameUsd(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

export function unknownCost(reason: string): Cost {
  return { provenance: 'unknown', reason };
}

export function usdOf(cost: Cost): number | null {
  return cost.provenance === 'unknown' ? null : cost.usd;
}

/** The sum, with the weaker provenance of the two. */
export function addCosts(a: Cost, b: Cost): Cost {
  if (a.provenance === 'unknown') return a;
  if (b.provenance === 'unknown') return b;
  const usd = addUsd(a.usd, b.usd);
  if (a.provenance === 'estimated') {
    const reason = joinReasons([a.reason, b.provenance === 'estimated' ? b.reason : undefined]);
    return { ...a, usd, ...(reason !== undefined && { reason }) };
  }
  if (b.provenance === 'estimated') return { ...b, usd };
  return { provenance: 'reported', usd };
}

/** Each reason once. Sums over many runs repeat the same sentences, so only a few remain. */
export function joinReasons(reasons: readonly (string | undefined)[]): string | undefined {
  const all = [...new Set(reasons.filter((reason) => reason !== undefined))];
  const reported = all.filter((reason, at) => !all.some((other, place) => place !== at && other.includes(reason)));
  return reported.length === 0 ? undefined : reported.slice(0, maxReasons).join(' ');
}

const maxReasons = 4;

export const noCosts: CostSum = { usd: null, estimatedUsd: 0, unknown: 0 };

export function addCost(sum: CostSum, cost: Cost): CostSum {
  if (cost.provenance === 'unknown') return { ...sum, unknown: sum.unknown + 1 };
  return {
    ...sum,
    usd: addUsd(sum.usd ?? 0, cost.usd),
    estimatedUsd: cost.provenance === 'estimated' ? addUsd(sum.estimatedUsd, cost.usd) : sum.estimatedUsd,
  };
}
