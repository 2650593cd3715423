/**
 * Tracks since when a key or mouse button is held down, so that a press meant for something else does not answer a
 * request.
 */
export class DeliberateClicks {
  /** `performance.now()` at the start of the current press. */
  #pressedAt: number | undefined;

  constructor(target: Window) {
    const began = (event: Event): void => {
      // Repeats of a held key are meant for the element that had the focus when it went down.
      this.#pressedAt = event instanceof KeyboardEvent && event.repeat ? 0 : performance.now();
    };
    // The click event follows right after the release.
    const ended = (event: Event): void => {
      if (event.type !== 'blur' || event.target === target) setTimeout(() => (this.#pressedAt = undefined));
    };
    for (const type of ['keydown', 'pointerdown']) target.addEventListener(type, began, { capture: true });
    for (const type of ['keyup', 'pointerup', 'pointercancel', 'blur']) {
      target.addEventListener(type, ended, { capture: true });
    }
  }

  /** Whether the current press began before `time`. False for a click without a press, as from a screen reader. */
  wasPressedBefore(time: number): boolean {
    return this.#pressedAt !== undefined && this.#pressedAt < time;
  }
}
