import { type Phase, runPhases } from '../../model/session/phases.ts';
import { type Span, unionOf, subtractSpans } from './spans.ts';

/** Times in epoch milliseconds. */
interface RunTimes {
  /** The run, from its prompt to its end. */
  readonly span: Span;
  /** The displayed duration of the run in milliseconds; `null`: that of `span`. */
  readonly durationMs: number | null;
  /** Tool calls, including those of subagents. */
  readonly tools: readonly Span[];
  /** Requests that waited for an answer. */
  readonly userWaits: readonly Span[];
  /** Output of the model, from its first part. */
  readonly output: readonly { readonly kind: 'thinking' | 'writing'; readonly span: Span }[];
}

/** In milliseconds; the sum is `total`. */
export type PhaseSums = Readonly<Record<Phase, number>> & { readonly total: number };

export interface RunPhases {
  readonly segments: Readonly<Record<Phase, readonly Span[]>>;
  readonly sums: PhaseSums;
}

export const noTime: PhaseSums = { waiting: 0, thinking: 0, writing: 0, tools: 0, you: 0, total: 0 };

/**
 * Every moment of a run counts once. If several things happened at once, the order is: waiting for you, tools, the model. A
 * call that waits for approval counts as waiting for you; a subagent's time belongs to the call that started it.
 */
export function phasesOf({ span, durationMs, tools, userWaits, output }: RunTimes): RunPhases {
  const inside = (spans: readonly Span[]): Span[] => unionOf(spans.map((part) => clipSpan(part, span)));
  const waiting = inside(userWaits);
  const working = subtractSpans(inside(tools), waiting);
  const taken = unionOf([...waiting, ...working]);
  const ofKind = (kind: 'thinking' | 'writing'): Span[] =>
    inside(output.filter((part) => part.kind === kind).map((part) => part.span));
  const written = subtractSpans(ofKind('writing'), taken);
  const thought = subtractSpans(ofKind('thinking'), unionOf([...taken, ...written]));
  const rest = subtractSpans([span], unionOf([...taken, ...written, ...thought]));
  const segments = { waiting: rest, thinking: thought, writing: written, tools: working, you: waiting };
  return { segments, sums: scalePhases(segments, durationMs ?? lengthOf(span)) };
}

/** The displayed duration may be shorter than the measured one: unexplained time is reduced first. */
function scalePhases(segments: RunPhases['segments'], total: number): PhaseSums {
  const remaining = { ...noTime, total };
  const sums: Record<Phase | 'total', number> = { ...remaining };
  let room = total;
  for (const phase of ['you', 'tools', 'writing', 'thinking'] as const) {
    const duration = Math.min(
      room,
      segments[phase].reduce((sum, span) => sum + lengthOf(span), 0),
    );
    sums[phase] = duration;
    room -= duration;
  }
  return { ...sums, waiting: room };
}

export function addPhases(a: PhaseSums, b: PhaseSums): PhaseSums {
  const sums: Record<Phase | 'total', number> = { ...a };
  for (const phase of [...runPhases, 'total'] as const) sums[phase] += b[phase];
  return sums;
}

const lengthOf = ([from, to]: Span): number => to - from;

function clipSpan([from, to]: Span, [start, end]: Span): Span {
  const at = Math.min(Math.max(from, start), end);
  return [at, Math.max(at, Math.min(to, end))];
}
