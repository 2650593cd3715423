import { matchesFilter, type RowFilter } from './filter.ts';
import type { Row } from './steps.ts';
import type { Bar, LaneBar, Waterfall } from './waterfall.ts';

/** Options of the list of a trajectory. */
export interface Listing {
  readonly filter: RowFilter;
  /** Another condition for a row. */
  readonly accepts?: (row: Row) => boolean;
  readonly sort: 'time' | 'longest';
  /** Ids of collapsed lanes. */
  readonly closed: ReadonlySet<string>;
}

/** One line: a lane's header with the numbers of matching rows and steps, or a row. */
export type Line =
  | { readonly head: LaneBar; readonly rows: number; readonly steps: number; readonly open: boolean }
  | { readonly bar: Bar };

/** Lanes with matching rows; or, longest first, steps without lanes, those with unknown duration last. */
export function linesOf({ lanes }: Waterfall, { filter, accepts, sort, closed }: Listing): Line[] {
  const filterBars = (bars: readonly Bar[]): Bar[] =>
    bars.filter(({ row }) => matchesFilter(row, filter) && (accepts === undefined || accepts(row)));
  if (sort === 'longest') {
    const steps = lanes.flatMap(({ bars }) => filterBars(bars)).filter(({ row }) => row.type === 'step');
    steps.sort((a, b) => durationOf(b) - durationOf(a) || a.row.entryIndex - b.row.entryIndex);
    return steps.map((bar) => ({ bar }));
  }
  return lanes.flatMap((head): Line[] => {
    const bars = filterBars(head.bars);
    if (bars.length === 0) return [];
    const open = !closed.has(head.lane.id);
    const steps = bars.filter(({ row }) => row.type === 'step').length;
    return [{ head, rows: bars.length, steps, open }, ...(open ? bars.map((bar) => ({ bar })) : [])];
  });
}

function durationOf({ row }: Bar): number {
  return row.type === 'step' ? (row.durationMs ?? -1) : -1;
}
