/** Milliseconds between two looks at the clock: of what runs, and of how long ago something was. */
const paces = { second: 1000, minute: 60_000 } as const;

/** Calls at the pace that is wanted while somebody can see the page. */
export class Ticker {
  readonly #tick: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #pace: keyof typeof paces | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  set(wanted: keyof typeof paces): void {
    const pace = document.visibilityState === 'visible' ? wanted : undefined;
    if (pace === this.#pace) return;
    this.#pace = pace;
    clearInterval(this.#timer);
    this.#timer = pace === undefined ? undefined : setInterval(this.#tick, paces[pace]);
  }
}
