/** Time without tasks, in ms, after which garbage is collected. */
const defaultQuietMs = 10_000;

/** Gives the memory of ended tasks back, once: V8 itself collects only while there is work. One for each thread. */
export class IdleGarbage {
  readonly #collectGarbage: () => unknown;
  readonly #quietMs: number;
  #hasWorked = false;
  #timer: NodeJS.Timeout | undefined;

  /** `collect` does nothing by default if Node was started without `--expose-gc`. */
  constructor(collect: () => unknown = collectGarbage, quietMs = defaultQuietMs) {
    this.#collectGarbage = collect;
    this.#quietMs = quietMs;
  }

  /** Number of current tasks. */
  setTasks(count: number): void {
    clearTimeout(this.#timer);
    if (count > 0) this.#hasWorked = true;
    else if (this.#hasWorked) {
      this.#timer = setTimeout(() => {
        this.#hasWorked = false;
        this.#collectGarbage();
      }, this.#quietMs);
      this.#timer.unref();
    }
  }
}

/** Also gives the freed pages back to the system. */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
}
