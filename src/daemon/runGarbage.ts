/** Time without a run, in ms, after which garbage is collected. */
const defaultQuietMs = 10_000;

/** Gives the memory of ended runs back, once: V8 itself collects only while there is work. */
export class RunGarbage {
  readonly #collect: () => unknown;
  readonly #quietMs: number;
  #hasRun = false;
  #timer: NodeJS.Timeout | undefined;

  /** `collect` does nothing by default if Node was started without `--expose-gc`. */
  constructor(collect: () => unknown = collectGarbage, quietMs = defaultQuietMs) {
    this.#collect = collect;
    this.#quietMs = quietMs;
  }

  /** Number of current runs. */
  setRuns(count: number): void {
    clearTimeout(this.#timer);
    if (count > 0) this.#hasRun = true;
    else if (this.#hasRun) {
      this.#timer = setTimeout(() => {
        this.#hasRun = false;
        this.#collect();
      }, this.#quietMs);
      this.#timer.unref();
    }
  }
}

/** Also gives the freed pages back to the system. */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
}
