/** Loads code that the first screen does not need on first use, and caches it. */
export class Later<T> {
  readonly #bring: () => Promise<T>;
  readonly #arrived: () => void;
  #fetching: Promise<void> | undefined;
  #here: T | undefined;

  constructor(bring: () => Promise<T>, arrived: () => void) {
    this.#bring = bring;
    this.#arrived = arrived;
  }

  /** `undefined` until it has arrived. */
  get here(): T | undefined {
    return this.#here;
  }

  /** Never fails: an update of Vitrine can delete the files of the running one, and the page then does without. */
  load(): Promise<void> {
    this.#fetching ??= this.#bring().then(
      (here) => {
        this.#here = here;
        this.#arrived();
      },
      () => undefined,
    );
    return this.#fetching;
  }
}
