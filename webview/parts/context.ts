import type { Actions } from '../actions.ts';
import type { Figures } from '../figures/figures.ts';
import type { Requests } from '../request/requests.ts';
import type { Store } from '../store.ts';

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

/** Whether the run that an entry belongs to goes on. */
export function isLive({ store }: Context, turn: number): boolean {
  return store.turns[turn]?.status === 'running';
}
