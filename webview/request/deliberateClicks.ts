/** Knows since when a key or a button of the mouse is held down, so that a press meant for something else decides nothing. */
export class DeliberateClicks {
  /** `performance.now()` of the press that continues. */
  #since: number | undefined;

  constructor(target: Window) {
    const began = (event: Event): void => {
      // The repeats of a key that is held down were meant for whatever had the focus when it went down.
      this.#since = event instanceof KeyboardEvent && event.repeat ? 0 : performance.now();
    };
    // The click that a release makes comes right after it.
    const ended = (event: Event): void => {
      if (event.type !== 'blur' || event.target === target) setTimeout(() => (this.#since = undefined));
    };
    for (const type of ['keydown', 'pointerdown']) target.addEventListener(type, began, { capture: true });
    for (const type of ['keyup', 'pointerup', 'pointercancel', 'blur']) {
      target.addEventListener(type, ended, { capture: true });
    }
  }

  /** Whether what is pressed now was pressed before `time`. A click without a press, as of a screen reader, was not. */
  heldSinceBefore(time: number): boolean {
    return this.#since !== undefined && this.#since < time;
  }
}
