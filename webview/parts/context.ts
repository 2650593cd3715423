import type { Actions } from '../actions.ts';
import type { Figures } from '../figures/figures.ts';
import type { Requests } from '../request/requests.ts';
import type { Store } from '../store/store.ts';

/** What every part of the page is drawn from. */
export interface Context {
  readonly store: Store;
  readonly actions: Actions;
  readonly requests: Requests;
  readonly figures: Figures;
  /** Epoch milliseconds of this drawing, for running clocks. */
  readonly now: number;
  /** Row that Tab leads to. */
  readonly focusKey: string | undefined;
  /** Row that was jumped to last. */
  readonly markedKey: string | undefined;
  /** Another one where more may be different than the entries: what was drawn of them must be drawn again. */
  readonly revision: number;
}

/** Whether a call waits until a person has decided about an earlier one; `step` is its number. */
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

/** Whether the run that an entry belongs to continues. */
export function isLive({ store }: Context, turn: number): boolean {
  return store.turns[turn]?.status === 'running';
}
