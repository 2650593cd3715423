export interface Disposable {
  dispose(): void;
}

/** Who wants to hear of something. */
export class Listeners<A extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: A) => void>();

  on(listener: (...args: A) => void): Disposable {
    // A listener of its own, however often the same function is given.
    const own = (...args: A): void => listener(...args);
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  }

  fire(...args: A): void {
    for (const listener of [...this.#listeners]) listener(...args);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
