import { type SavedState, saveState } from './vscodeApi.ts';

const delay = 300;

/** Keeps what is to outlive the page, a little after it changed. */
export class Saver {
  readonly #state: () => SavedState | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  /** `state` gives what is to be kept; `undefined` while there is nothing yet. */
  constructor(state: () => SavedState | undefined) {
    this.#state = state;
  }

  soon(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      const state = this.#state();
      if (state !== undefined) saveState(state);
    }, delay);
  }
}
