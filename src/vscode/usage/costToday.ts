import { localDay } from '../../engine/usage/localDay.ts';
import type { Cost } from '../../model/usage/usage.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

/** Money spent since midnight. `estimated` and `unknown` say that some of it is, or that some is not in the sum. */
export interface CostToday {
  readonly usd: number;
  readonly estimated: boolean;
  readonly unknown: boolean;
  readonly any: boolean;
}

const usd = (cost: Cost): number => (cost.provenance === 'unknown' ? 0 : cost.usd);

/** What a session had cost when the day of `now` began, as far as known; undefined where it was not used that day. */
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

/** A session's cost is its own: what it started is counted on its own. A recording spends nothing. */
export function costToday(rows: readonly SessionRow[], now: number): CostToday {
  const date = localDay(now);
  const spent = rows.filter((row) => row.day?.date === date && !row.recording);
  return {
    usd: spent.reduce((sum, row) => sum + Math.max(0, usd(row.total_cost) - (row.day?.usd ?? 0)), 0),
    estimated: spent.some((row) => row.total_cost.provenance === 'estimated'),
    unknown: spent.some((row) => row.total_cost.provenance === 'unknown'),
    any: spent.length > 0,
  };
}
