/** Milliseconds between two updates of clocks, and of ages. */
const paces = { second: 1000, minute: 60_000 } as const;

export type Pace = keyof typeof paces;

/** Calls while the page is visible: each minute, or each second if needed. */
export class Ticker {
  readonly #tick: (pace: Pace) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #pace: Pace | undefined;
  #minute = 0;

  constructor(tick: (pace: Pace) => void) {
    this.#tick = tick;
  }

  set(newPace: Pace): void {
    const pace = document.visibilityState === 'visible' ? newPace : undefined;
    if (pace === this.#pace) return;
    this.#pace = pace;
    clearInterval(this.#timer);
    this.#timer = pace === undefined ? undefined : setInterval(() => this.#emitTick(), paces[pace]);
  }

  #emitTick(): void {
    const minute = Math.floor(Date.now() / paces.minute);
    const isNew = minute !== this.#minute;
    this.#minute = minute;
    this.#tick(isNew ? 'minute' : 'second');
  }
}
