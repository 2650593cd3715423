import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { originOf } from '../../../model/transcript/synthetic.ts';
import type { Turn } from '../../../model/session/turn.ts';

/** Derives turns from entries: each user prompt starts one. */
export class ObservedTurns {
  readonly #turns: { readonly index: number; readonly at: string; steps: number; subagentSteps: number }[] = [];
  readonly #seen = new Set<number>();

  /** Call for every entry, in order. */
  add({ index, type, timestamp, metadata, origin }: NormalizedEntry): void {
    if (this.#seen.has(index)) return;
    this.#seen.add(index);
    if (type.kind === 'user_message' && originOf({ origin, metadata }) === 'human') {
      this.#turns.push({ index, at: timestamp, steps: 0, subagentSteps: 0 });
    }
    const turn = this.#turns.at(-1);
    if (type.kind !== 'tool_use' || turn === undefined) return;
    if (type.tool.parentCallId === undefined) turn.steps += 1;
    else turn.subagentSteps += 1;
  }

  /** `last`: status of the last turn. The cost of single turns is unknown. */
  all(last: Turn['status']): Turn[] {
    return this.#turns.map(({ index, at, steps, subagentSteps }, number) => ({
      runId: `turn_${index}`,
      firstIndex: index,
      status: number === this.#turns.length - 1 ? last : 'completed',
      startedAt: at,
      durationMs: null,
      steps,
      ...(subagentSteps > 0 && { subagentSteps }),
      usd: null,
      costProvenance: 'unknown',
    }));
  }
}
