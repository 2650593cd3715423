import { parseFilter } from '../../insight/trajectory/filter.ts';
import type { Finding } from '../../insight/trajectory/findings.ts';
import { type Line, linesOf } from '../../insight/trajectory/listing.ts';
import { sessionPhases } from '../../insight/trajectory/runTimes.ts';
import type { Span } from '../../insight/trajectory/spans.ts';
import { mainLane, type Row, type StepRow } from '../../insight/trajectory/steps.ts';
import { type Waterfall, waterfall } from '../../insight/trajectory/waterfall.ts';
import { runPhases } from '../../model/session/phases.ts';
import type { StepKind } from '../../model/transcript/steps.ts';
import {
  maxSegments,
  type RepeatMark,
  type StepLink,
  type TimeLane,
  type TrajectoryLine,
  type TrajectoryPage,
  type TrajectoryQuery,
} from '../../protocol/panel/viewMessages.ts';
import type { ViewIndex } from './viewIndex.ts';

const maxMarks = 100;
const maxEvidence = 20;
/** Maximum age in ms of running bars. */
const fresh = 500;

interface CachedTrajectory {
  readonly revision: number;
  readonly now: number;
  readonly waterfall: Waterfall;
  readonly counts: Record<StepKind, number>;
  readonly steps: TrajectoryPage['steps'];
  readonly time: TrajectoryPage['time'];
  readonly marks: ReadonlyMap<number, RepeatMark>;
}

/** Pages of the trajectory, from one complete layout that is cached until something changes. */
export class TrajectoryPages {
  readonly #index: ViewIndex;
  #cached: CachedTrajectory | undefined;
  #cachedList: { readonly drawn: CachedTrajectory; readonly key: string; readonly lines: readonly Line[] } | undefined;

  constructor(index: ViewIndex) {
    this.#index = index;
  }

  /** `now`: epoch milliseconds during a run, otherwise `undefined`: unfinished steps then end with the record. */
  page(
    { from, count, wish, around }: { from: number; count: number; wish: TrajectoryQuery; around?: number },
    now: number | undefined,
  ): TrajectoryPage {
    const drawn = this.#draw(now);
    const lines = this.#listLines(drawn, wish);
    const at =
      around === undefined ? -1 : lines.findIndex((line) => 'bar' in line && line.bar.row.entryIndex === around);
    const start = at === -1 ? from : Math.max(0, at - (count >> 1));
    const { total, turns, gaps } = drawn.waterfall;
    return {
      total: lines.length,
      from: start,
      lines: lines.slice(start, start + count).map((line) => this.#toPageLine(line, drawn)),
      at: at === -1 ? null : at,
      axis: { length: total, turns: sampleEvenly(turns), gaps: sampleEvenly(gaps) },
      time: drawn.time,
      steps: drawn.steps,
      counts: drawn.counts,
      repeats: drawn.marks.size,
      omitted: this.#index.omitted,
    };
  }

  #draw(now: number | undefined): CachedTrajectory {
    const { revision, trajectory, findings } = this.#index;
    const known = this.#cached;
    if (known?.revision === revision && (now === undefined || now - known.now < fresh)) return known;
    const rows = trajectory.rows();
    const counts: Record<StepKind, number> = { read: 0, edit: 0, command: 0, search: 0, web: 0, other: 0 };
    const steps = rows.filter((row) => row.type === 'step');
    for (const row of steps) counts[row.kind] += 1;
    const main = steps.filter(({ lane }) => lane === mainLane).length;
    const end = now ?? lastTime(rows);
    const { segments, sums } = sessionPhases(rows, this.#index.turns(), this.#index.waits, end);
    const drawn = waterfall(
      rows,
      trajectory.lanes(),
      end,
      runPhases.flatMap((phase) => segments[phase]),
    );
    this.#cached = {
      revision,
      now: end,
      waterfall: drawn,
      counts,
      steps: { main, subagents: steps.length - main },
      time: runPhases.map((phase) => ({ phase, ms: sums[phase], segments: placeSegments(segments[phase], drawn) })),
      marks: marksOf(findings.all(), (index) => {
        const row = trajectory.row(index);
        return row?.type === 'step' ? { entryIndex: index, number: row.number } : undefined;
      }),
    };
    return this.#cached;
  }

  #listLines(drawn: CachedTrajectory, wish: TrajectoryQuery): readonly Line[] {
    const key = JSON.stringify(wish);
    if (this.#cachedList?.drawn === drawn && this.#cachedList.key === key) return this.#cachedList.lines;
    const typed = parseFilter(wish.query);
    const lines = linesOf(drawn.waterfall, {
      filter: typed,
      accepts: (row) =>
        (wish.kinds.length === 0 || (row.type === 'step' && wish.kinds.includes(row.kind))) &&
        (!wish.repeats || drawn.marks.has(row.entryIndex)),
      sort: wish.sort,
      closed: new Set(wish.closed),
    });
    this.#cachedList = { drawn, key, lines };
    return lines;
  }

  #toPageLine(line: Line, { marks }: CachedTrajectory): TrajectoryLine {
    if ('head' in line) {
      const { lane, offset, duration } = line.head;
      const { id, title, agentType, number } = lane;
      return {
        type: 'lane',
        id,
        title,
        agentType,
        number,
        offset,
        duration,
        rows: line.rows,
        steps: line.steps,
        open: line.open,
      };
    }
    const { row, offset, duration, group } = line.bar;
    const { entryIndex, turn, title, startedAt } = row;
    const common = { entryIndex, turn, title, startedAt, offset, duration };
    if (row.type !== 'step') return { type: row.type, ...common };
    return { type: 'step', ...common, ...stepOf(row), group, repeats: marks.get(entryIndex) ?? null };
  }
}

function stepOf(row: StepRow) {
  const { callId, number, kind, toolName, path, status, exitCode, added, removed, durationMs } = row;
  return { callId, number, kind, toolName, path, status, exitCode, added, removed, durationMs };
}

/** Findings by each step that shows them, except the first: nothing was repeated at that time. */
function marksOf(
  findings: readonly Finding[],
  linkOf: (index: number) => StepLink | undefined,
): ReadonlyMap<number, RepeatMark> {
  const marks = new Map<number, RepeatMark>();
  for (const { kind, steps } of findings) {
    const links = steps.slice(0, maxEvidence).flatMap((index) => linkOf(index) ?? []);
    for (const index of steps.slice(1)) marks.set(index, { kind, steps: links, count: steps.length });
  }
  return marks;
}

function placeSegments(spans: readonly Span[], { at }: Waterfall): TimeLane['segments'] {
  const longest = [...spans].sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, maxSegments);
  return longest
    .sort((a, b) => a[0] - b[0])
    .map(([from, to]) => ({ offset: at(from), duration: Math.max(0, at(to) - at(from)) }));
}

function lastTime(rows: readonly Row[]): number {
  return rows.reduce((last, { startedAt, endedAt }) => Math.max(last, startedAt ?? 0, endedAt ?? 0), 0);
}

/** At most as many as fit on an axis, evenly spaced. */
function sampleEvenly<T>(all: readonly T[]): readonly T[] {
  if (all.length <= maxMarks) return all;
  return Array.from({ length: maxMarks }, (_, at) => all[Math.floor((at * all.length) / maxMarks)]).filter(
    (entry) => entry !== undefined,
  );
}
