export interface Disposable {
  dispose(): void;
}

/** Listeners of one kind of event. */
export class Listeners<A extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: A) => void>();

  on(listener: (...args: A) => void): Disposable {
    // Each call adds a separate listener, even for the same function.
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
