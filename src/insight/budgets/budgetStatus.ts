import type { Bound, BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope } from '../../model/usage/budgetNames.ts';
import { noUsage, type BudgetUsage } from './usedBudget.ts';

/** From this share on, a limit counts as near. */
const nearShare = 0.8;
const msPerMinute = 60_000;

/** How much of each limit is used. Omits limits in US dollars if no cost is known, because they have no effect. */
export function budgetStatuses(
  bounds: readonly Bound[],
  used: Readonly<Partial<Record<BudgetScope, BudgetUsage>>>,
): readonly BudgetStatus[] {
  return bounds.flatMap((bound): BudgetStatus[] => {
    const of = used[bound.scope];
    const spent = of === undefined ? null : spentOf(of, bound.unit);
    return spent === null ? [] : [{ ...bound, spent }];
  });
}

function spentOf(used: BudgetUsage, unit: Bound['unit']): number | null {
  return unit === 'minutes' ? used.ms / msPerMinute : used[unit];
}

/** Nothing is left for another turn. */
export function isUsedUp({ spent, limit }: BudgetStatus): boolean {
  return spent >= limit;
}

/**
 * So much is used that the run has to end. The last turn may still finish; it is too much when it asks for another.
 * `callsTool`: the newest response called a tool, so the next one needs its result.
 */
export function isOverrun(status: BudgetStatus, callsTool: boolean): boolean {
  if (status.unit !== 'turns' || callsTool) return isUsedUp(status);
  return status.spent > status.limit;
}

export function isNearLimit({ spent, limit }: BudgetStatus): boolean {
  return spent >= limit * nearShare;
}

/** The most used limit. */
export function mostUsed(all: readonly BudgetStatus[]): BudgetStatus | undefined {
  let most: BudgetStatus | undefined;
  for (const status of all)
    if (most === undefined || status.spent / status.limit > most.spent / most.limit) most = status;
  return most;
}

/** Milliseconds of running time until a limit in minutes is near or used up; `null` if none will be. */
export function msToNext(all: readonly BudgetStatus[]): number | null {
  const left = all
    .filter(({ unit }) => unit === 'minutes')
    .flatMap(({ limit, spent }) => [limit * nearShare - spent, limit - spent])
    .filter((minutes) => minutes > 0)
    .map((minutes) => Math.ceil(minutes * msPerMinute));
  return left.length === 0 ? null : Math.min(...left);
}

/** What a new run has left under every limit; unknown usage is not subtracted. */
export function remainingBudget(
  bounds: readonly Bound[],
  used: Readonly<Partial<Record<BudgetScope, BudgetUsage>>>,
  unit: Bound['unit'],
): number | undefined {
  const left = bounds
    .filter((bound) => bound.unit === unit)
    .map(({ scope, limit }) => Math.max(0, limit - (spentOf(used[scope] ?? noUsage, unit) ?? 0)));
  return left.length === 0 ? undefined : Math.min(...left);
}
