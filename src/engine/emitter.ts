import type { Disposable, Log } from './api.ts';

/** Listeners of one event. A listener that throws is logged and does not affect the others. */
export class Emitter<T extends readonly unknown[]> {
  readonly #listeners = new Set<(...news: T) => void>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  on(listener: (...news: T) => void): Disposable {
    // Wrapped, so that a function registered twice is called twice.
    const own = (...news: T): void => listener(...news);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  }

  fire(...news: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(...news);
      } catch (error) {
        this.#log.error(
          `A listener failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
    }
  }
}
