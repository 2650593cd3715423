import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between yields. */
const slice = 8;

/** Yields to other work every few milliseconds. */
export class Pace {
  readonly #other: () => Promise<unknown>;
  #since = performance.now();

  /** `other`: settles when the work may continue. */
  constructor(other: () => Promise<unknown> = () => setImmediate()) {
    this.#other = other;
  }

  async step(): Promise<void> {
    if (performance.now() - this.#since < slice) return;
    await this.#other();
    this.#since = performance.now();
  }
}
