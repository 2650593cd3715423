const factor = 3;
const longestMs = 600_000;

interface Wait {
  readonly times: number;
  readonly timer: NodeJS.Timeout;
  readonly over: boolean;
}

/** Does something again later, for each of several on its own, after a longer while each time. */
export class Backoff {
  readonly #firstMs: number;
  readonly #waits = new Map<string, Wait>();

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** Does nothing where that is put off already. */
  again(id: string, act: () => void): void {
    const before = this.#waits.get(id);
    if (before?.over === false) return;
    const times = before?.times ?? 0;
    const timer = setTimeout(
      () => {
        this.#waits.set(id, { times: times + 1, timer, over: true });
        act();
      },
      Math.min(longestMs, this.#firstMs * factor ** times),
    );
    timer.unref();
    this.#waits.set(id, { times: times + 1, timer, over: false });
  }

  isWaiting(id: string): boolean {
    return this.#waits.get(id)?.over === false;
  }

  /** How often it was put off since it went well. */
  times(id: string): number {
    return this.#waits.get(id)?.times ?? 0;
  }

  /** It went well, or is no longer needed. */
  clear(id: string): void {
    clearTimeout(this.#waits.get(id)?.timer);
    this.#waits.delete(id);
  }

  close(): void {
    for (const id of [...this.#waits.keys()]) this.clear(id);
  }
}
