import type { Actions } from '../actions.ts';
import type { FigureViews } from '../figures/figureViews.ts';
import type { Requests } from '../request/requests.ts';
import type { Store } from '../store/store.ts';

/** Input of every drawn part of the page. */
export interface Context {
  readonly store: Store;
  readonly actions: Actions;
  readonly requests: Requests;
  readonly figures: FigureViews;
  /** Time of this drawing in epoch milliseconds, for running clocks. */
  readonly now: number;
  /** Row that Tab reaches. */
  readonly focusKey: string | undefined;
  /** Last target of a jump. */
  readonly markedKey: string | undefined;
  /** Changes if more than the entries may differ, so that cached drawings are invalid. */
  readonly revision: number;
}

/** Whether a call waits for a decision about an earlier one; `step` is its number. */
export function waitsForEarlier({ store, requests }: Context, step: string | undefined): boolean {
  if (step === undefined) return false;
  const { lane, at } = placeOf(step);
  return requests.waiting.some(({ callId }) => {
    const waiting = callId === undefined ? undefined : store.stepOf(callId);
    if (waiting === undefined) return false;
    const other = placeOf(waiting);
    return other.lane === lane && other.at < at;
  });
}

/** `5.2` is the second call in the lane of call 5. */
function placeOf(step: string): { lane: string; at: number } {
  const dot = step.lastIndexOf('.');
  return { lane: step.slice(0, Math.max(0, dot)), at: Number(step.slice(dot + 1)) };
}

/** Whether the run of an entry is active. */
export function isLive({ store }: Context, turn: number): boolean {
  return store.turns[turn]?.status === 'running';
}
