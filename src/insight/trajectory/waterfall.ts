import type { Span } from './spans.ts';
import type { Lane, Row } from './steps.ts';

/** A row as a bar. Offsets and durations are milliseconds on an axis without idle time. */
export interface Bar {
  readonly row: Row;
  /** `null` if the record has no time for it. */
  readonly offset: number | null;
  readonly duration: number;
  /** The step is running: its bar is open on the right. */
  readonly open: boolean;
  /** Parallel steps of one lane share a number; `null` for one that ran alone. */
  readonly group: number | null;
}

export interface LaneBar {
  readonly lane: Lane;
  readonly offset: number | null;
  readonly duration: number;
  /** Bars in entry order. */
  readonly bars: readonly Bar[];
}

export interface Waterfall {
  readonly lanes: readonly LaneBar[];
  /** Length of the axis. */
  readonly total: number;
  readonly turns: readonly { readonly turn: number; readonly offset: number; readonly startedAt: number }[];
  /** Where idle time was left out, and how much. */
  readonly gaps: readonly { readonly offset: number; readonly idleMs: number }[];
  /** Position of a time (epoch milliseconds) on the axis. */
  readonly at: (time: number) => number;
}

/** Shorter inactive periods are not gaps. */
const shortestGap = 10_000;
/** The visible rest of a gap. */
const shownGap = 1000;

/**
 * `now` (epoch milliseconds) is the end of what is running; `busy` are periods that are not idle although no row covers
 * them. Linear in the rows, except for sorting them by time.
 */
export function waterfall(
  rows: readonly Row[],
  lanes: readonly Lane[],
  now: number,
  busy: readonly Span[] = [],
): Waterfall {
  const axis = new Axis(rows, now, busy);
  const bars = new Map<string, Bar[]>(lanes.map(({ id }) => [id, []]));
  for (const row of rows) bars.get(row.lane)?.push(barOf(row, axis, now));
  const turns = new Map<number, number>();
  for (const { turn, startedAt } of rows) {
    if (startedAt !== null) turns.set(turn, Math.min(turns.get(turn) ?? Infinity, startedAt));
  }
  return {
    lanes: lanes.map((lane) => laneOf(lane, groupParallel(bars.get(lane.id) ?? []))),
    total: axis.total,
    turns: [...turns].map(([turn, startedAt]) => ({ turn, offset: axis.offset(startedAt), startedAt })),
    gaps: axis.gaps,
    at: (time) => axis.offset(time),
  };
}

function barOf(row: Row, axis: Axis, now: number): Bar {
  const open = row.type === 'step' && (row.status === 'running' || row.status === 'created');
  if (row.startedAt === null) return { row, offset: null, duration: 0, open, group: null };
  const offset = axis.offset(row.startedAt);
  const end = axis.offset(open ? Math.max(now, row.startedAt) : (row.endedAt ?? row.startedAt));
  return { row, offset, duration: Math.max(0, end - offset), open, group: null };
}

function laneOf(lane: Lane, bars: readonly Bar[]): LaneBar {
  let first: number | null = null;
  let end = 0;
  for (const { offset, duration } of bars) {
    if (offset === null) continue;
    first = first === null ? offset : Math.min(first, offset);
    end = Math.max(end, offset + duration);
  }
  return { lane, offset: first, duration: first === null ? 0 : end - first, bars };
}

/** Steps that began before earlier ones had ended ran in parallel. */
function groupParallel(bars: readonly Bar[]): Bar[] {
  const groups = new Map<number, number>();
  const steps = bars.filter((bar) => bar.row.type === 'step' && bar.offset !== null);
  steps.sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  let members: number[] = [];
  let end = -Infinity;
  const close = (): void => {
    if (members.length > 1) for (const member of members) groups.set(member, members[0] ?? member);
    members = [];
  };
  for (const { row, offset, duration } of steps) {
    if ((offset ?? 0) >= end) close();
    members.push(row.entryIndex);
    end = Math.max(end, (offset ?? 0) + duration);
  }
  close();
  return bars.map((bar) => ({ ...bar, group: groups.get(bar.row.entryIndex) ?? null }));
}

/** Busy periods in order. */
class Axis {
  readonly gaps: { readonly offset: number; readonly idleMs: number }[] = [];
  readonly #starts: number[] = [];
  readonly #offsets: number[] = [];
  readonly #ends: number[] = [];

  constructor(rows: readonly Row[], now: number, busy: readonly Span[]) {
    const ofRows = rows.flatMap((row) => {
      if (row.startedAt === null) return [];
      const open = row.type === 'step' && (row.status === 'running' || row.status === 'created');
      return [[row.startedAt, Math.max(row.startedAt, open ? now : (row.endedAt ?? row.startedAt))] as const];
    });
    const spans = [...ofRows, ...busy].sort((a, b) => a[0] - b[0]);
    for (const [start, end] of spans) {
      const last = this.#ends.at(-1);
      if (last !== undefined && start - last < shortestGap) {
        this.#ends[this.#ends.length - 1] = Math.max(last, end);
        continue;
      }
      const offset = last === undefined ? 0 : this.total + shownGap;
      if (last !== undefined) this.gaps.push({ offset: this.total, idleMs: start - last });
      this.#starts.push(start);
      this.#offsets.push(offset);
      this.#ends.push(end);
    }
  }

  get total(): number {
    const last = this.#starts.length - 1;
    return last === -1 ? 0 : (this.#offsets[last] ?? 0) + (this.#ends[last] ?? 0) - (this.#starts[last] ?? 0);
  }

  /** For a time in one of the periods. */
  offset(time: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? Infinity) <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(
      0,
      (this.#offsets[low] ?? 0) + Math.min(time, this.#ends[low] ?? time) - (this.#starts[low] ?? time),
    );
  }
}
