import { localDay } from '../../engine/usage/localDay.ts';
import type { Cost } from '../../model/usage/usage.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

/** Cost since midnight. `isEstimated`: partly. `hasUnknownCosts`, `isLowerBound`: of some sessions. */
export interface CostToday {
  readonly usd: number;
  readonly isEstimated: boolean;
  readonly hasUnknownCosts: boolean;
  readonly isLowerBound: boolean;
  readonly hasSessions: boolean;
}

const usd = (cost: Cost): number => (cost.provenance === 'unknown' ? 0 : cost.usd);

/** Cost of a session at the start of the day of `now`, as far as known; `undefined` if it was not used that day. */
export function dayStart(
  summary: { readonly created_at: string; readonly updated_at: string; readonly cost: Cost; readonly total_cost: Cost },
  previous: SessionRow | undefined,
  now: number,
): SessionRow['day'] {
  const date = localDay(now);
  if (localDay(summary.updated_at) !== date) return undefined;
  if (localDay(summary.created_at) === date) return { date, usd: 0 };
  if (previous?.day?.date === date) return previous.day;
  if (previous !== undefined && localDay(previous.updated_at) !== date) return { date, usd: usd(previous.total_cost) };
  return { date, usd: Math.max(0, usd(summary.total_cost) - usd(summary.cost)) };
}

/** Each session counts without its child sessions. Recordings cost nothing. */
export function costToday(rows: readonly SessionRow[], now: number): CostToday {
  const date = localDay(now);
  const spent = rows.flatMap((row) => costOn(date, row) ?? []);
  return {
    usd: spent.reduce((sum, { cost, before }) => sum + Math.max(0, usd(cost) - before), 0),
    isEstimated: spent.some(({ cost }) => cost.provenance === 'estimated'),
    hasUnknownCosts: spent.some(({ cost }) => cost.provenance === 'unknown'),
    isLowerBound: spent.some(({ isLowerBound }) => isLowerBound),
    hasSessions: spent.length > 0,
  };
}

function costOn(
  date: string,
  { observed, day, recording, total_cost: cost }: SessionRow,
): { readonly cost: Cost; readonly before: number; readonly isLowerBound: boolean } | undefined {
  if (observed !== undefined) {
    const { last_day: last, usage_reason: reason } = observed;
    return last?.date === date ? { cost: last.cost, before: 0, isLowerBound: reason !== null } : undefined;
  }
  return day?.date === date && !recording ? { cost, before: day.usd, isLowerBound: false } : undefined;
}
