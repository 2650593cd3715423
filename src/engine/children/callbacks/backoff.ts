const factor = 3;
const longestMs = 600_000;

interface Wait {
  readonly attempts: number;
  readonly timer: NodeJS.Timeout;
  readonly isOver: boolean;
}

/** Schedules retries per id, with a delay that grows with each retry. */
export class Backoff {
  readonly #firstMs: number;
  readonly #waitsById = new Map<string, Wait>();

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** Schedules a retry, unless one is already scheduled. */
  schedule(id: string, act: () => void): void {
    const before = this.#waitsById.get(id);
    if (before?.isOver === false) return;
    const attempts = before?.attempts ?? 0;
    const timer = setTimeout(
      () => {
        this.#waitsById.set(id, { attempts: attempts + 1, timer, isOver: true });
        act();
      },
      Math.min(longestMs, this.#firstMs * factor ** attempts),
    );
    timer.unref();
    this.#waitsById.set(id, { attempts: attempts + 1, timer, isOver: false });
  }

  isWaiting(id: string): boolean {
    return this.#waitsById.get(id)?.isOver === false;
  }

  /** Number of retries since the last `clear`. */
  attempts(id: string): number {
    return this.#waitsById.get(id)?.attempts ?? 0;
  }

  /** Call after a success, or when no retry is needed any more. */
  clear(id: string): void {
    clearTimeout(this.#waitsById.get(id)?.timer);
    this.#waitsById.delete(id);
  }

  close(): void {
    for (const id of [...this.#waitsById.keys()]) this.clear(id);
  }
}
