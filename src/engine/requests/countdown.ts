import type { Disposable } from '../api.ts';

/** Maximum delay of a timer, in ms. */
const maxTimerMs = 2 ** 31 - 1;

/** Whether a user can see and answer requests. */
export interface Presence {
  isPresent(): boolean;
  /** Called when the first user comes or the last one leaves. */
  onChange(listener: () => void): Disposable;
}

export interface CountdownDeps {
  /** Absent: a user is always present. */
  readonly presence: Presence | undefined;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly onExpired: () => void;
  /** The countdown was paused or continued. */
  readonly onChange: () => void;
}

/** Counts down while a user is present, and pauses otherwise. */
export class Countdown {
  readonly #deps: CountdownDeps;
  readonly #presenceSubscription: Disposable | undefined;
  #remainingMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, deps: CountdownDeps) {
    this.#deps = deps;
    this.#remainingMs = ms;
    this.#presenceSubscription = deps.presence?.onChange(() => {
      this.#fit();
      deps.onChange();
    });
    this.#fit();
  }

  /** End in ms of the clock; `undefined` while paused. */
  get endsAt(): number | undefined {
    return this.#timer === undefined ? undefined : this.#startedAt + this.#remainingMs;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#presenceSubscription?.dispose();
  }

  #fit(): void {
    const { presence, clock, onExpired } = this.#deps;
    const runs = presence?.isPresent() !== false;
    if (runs === (this.#timer !== undefined)) return;
    if (runs) {
      this.#startedAt = clock();
      this.#timer = setTimeout(onExpired, Math.min(this.#remainingMs, maxTimerMs));
    } else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#remainingMs = Math.max(0, this.#remainingMs - (clock() - this.#startedAt));
    }
  }
}
