import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { requestMetadataSchema } from '../../model/agent/request.ts';
import { type Phase, runPhases } from '../../model/session/phases.ts';
import { addPhases, noTime, phasesOf, type PhaseSums } from './phases.ts';
import type { Span } from './spans.ts';
import { mainLane, type Row } from './steps.ts';

/** Times of a run for its heading. */
export interface TimedTurn {
  /** ISO 8601, from the clock of the machine that ran it; a replay has its own. */
  readonly startedAt: string;
  readonly durationMs: number | null;
}

export interface SessionPhases {
  /** Epoch milliseconds. */
  readonly segments: Readonly<Record<Phase, readonly Span[]>>;
  readonly sums: PhaseSums;
}

/** Requests to a person, by entry index; the newest state counts. */
export class RequestWaits {
  readonly #spans = new Map<number, { readonly turn: number; readonly from: number; readonly to: number | null }>();

  add({ index, type, metadata }: NormalizedEntry, turn: number): void {
    if (type.kind !== 'system_message' || metadata?.['request'] === undefined) return;
    const found = requestMetadataSchema.safeParse(metadata).data;
    if (found === undefined) return;
    const { request, decision } = found;
    // No one was asked.
    if (decision?.by === 'nobody' || decision?.by === 'policy') return;
    const to = decision === undefined ? null : Date.parse(decision.at);
    this.#spans.set(index, { turn, from: Date.parse(request.asked_at), to });
  }

  /** `now` ends those that still wait. */
  spansOf(turn: number, now: number): Span[] {
    return [...this.#spans.values()].flatMap(({ turn: own, from, to }): Span[] => {
      const end = to ?? now;
      return own === turn && Number.isFinite(from) && Number.isFinite(end) && end > from ? [[from, end]] : [];
    });
  }
}

/** How the runs of a session spent their time. `now` (epoch milliseconds) ends what continues. */
export function sessionPhases(
  rows: readonly Row[],
  turns: readonly TimedTurn[],
  waits: RequestWaits,
  now: number,
): SessionPhases {
  const segments: Record<Phase, Span[]> = { waiting: [], thinking: [], writing: [], tools: [], you: [] };
  let sums = noTime;
  const byTurn = new Map<number, Row[]>();
  for (const row of rows) {
    const own = byTurn.get(row.turn);
    if (own === undefined) byTurn.set(row.turn, [row]);
    else own.push(row);
  }
  const ends = latestEndsOf(byTurn, turns.length, now);
  for (const [at, turn] of turns.entries()) {
    const end = ends[at] ?? now;
    const isLast = at === turns.length - 1;
    const own = phasesOfTurn(byTurn.get(at + 1) ?? [], turn, {
      userWaits: waits.spansOf(at + 1, end),
      end,
      isLast,
    });
    if (own === undefined) continue;
    for (const phase of runPhases) segments[phase].push(...own.segments[phase]);
    sums = addPhases(sums, own.sums);
  }
  return { segments, sums };
}

/** Latest end of each turn: an open row ended at the latest when the next run began. */
function latestEndsOf(byTurn: ReadonlyMap<number, readonly Row[]>, turns: number, now: number): number[] {
  const ends = Array<number>(turns).fill(now);
  for (let at = turns - 2; at >= 0; at -= 1) {
    const next = (byTurn.get(at + 2) ?? []).flatMap(({ startedAt }) => startedAt ?? []);
    ends[at] = next.reduce((a, b) => Math.min(a, b), ends[at + 1] ?? now);
  }
  return ends;
}

interface TurnLimits {
  readonly userWaits: readonly Span[];
  /** End of rows without an end, in epoch milliseconds. */
  readonly end: number;
  /** It is the last one, so that it lasts until `end` if its duration is unknown; others ended with their last output. */
  readonly isLast: boolean;
}

function phasesOfTurn(
  rows: readonly Row[],
  { startedAt, durationMs }: TimedTurn,
  { userWaits, end: now, isLast }: TurnLimits,
) {
  const tools: Span[] = [];
  const output: { kind: 'thinking' | 'writing'; span: Span }[] = [];
  const times = userWaits.flat();
  for (const row of rows) {
    if (row.startedAt === null) continue;
    const end = Math.max(row.startedAt, row.endedAt ?? (row.type === 'step' ? now : row.startedAt));
    times.push(row.startedAt, end);
    if (row.type === 'step') tools.push([row.startedAt, end]);
    else if (row.lane === mainLane && row.firstAt !== null && row.type !== 'error') {
      output.push({ kind: row.type === 'thought' ? 'thinking' : 'writing', span: [Math.min(row.firstAt, end), end] });
    }
  }
  const span = spanOf(times, Date.parse(startedAt), durationMs, isLast ? now : -Infinity);
  return span === undefined ? undefined : phasesOf({ span, durationMs, tools, userWaits, output });
}

/**
 * From the prompt to the last known time, at least `now`, by the clock of the entries, because a replay started at another
 * time.
 */
function spanOf(times: readonly number[], began: number, durationMs: number | null, now: number): Span | undefined {
  if (times.length === 0) {
    if (!Number.isFinite(began)) return undefined;
    return [began, durationMs === null ? Math.max(began, now) : began + durationMs];
  }
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const sameClock = began <= first && first - began <= (durationMs ?? Infinity);
  const start = sameClock ? began : first;
  const end = durationMs === null ? Math.max(last, sameClock ? now : last) : Math.max(last, start + durationMs);
  return [start, end];
}
