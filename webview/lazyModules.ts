/** Loads code that the first screen does not need on first use, and caches it. */
export class LazyModule<T> {
  readonly #load: () => Promise<T>;
  readonly #onLoaded: () => void;
  #loading: Promise<void> | undefined;
  #value: T | undefined;

  constructor(load: () => Promise<T>, onLoaded: () => void) {
    this.#load = load;
    this.#onLoaded = onLoaded;
  }

  /** `undefined` until it has arrived. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Never fails: an update of Vitrine can delete the files of the version that runs, and the page then does without. */
  load(): Promise<void> {
    this.#loading ??= this.#load().then(
      (here) => {
        this.#value = here;
        this.#onLoaded();
      },
      () => undefined,
    );
    return this.#loading;
  }
}
