/** Calls once a second while it is wanted and somebody can see the page. */
export class Ticker {
  readonly #tick: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  set(wanted: boolean): void {
    if (wanted && document.visibilityState === 'visible') {
      this.#timer ??= setInterval(this.#tick, 1000);
    } else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
