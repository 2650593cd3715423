import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between yields. */
const slice = 8;

/** Yields to other work every few milliseconds. */
export class Pace {
  readonly #yieldToOthers: () => Promise<unknown>;
  #sliceStart = performance.now();

  /** `other`: settles when the work may continue. */
  constructor(other: () => Promise<unknown> = () => setImmediate()) {
    this.#yieldToOthers = other;
  }

  async step(): Promise<void> {
    if (performance.now() - this.#sliceStart < slice) return;
    await this.#yieldToOthers();
    this.#sliceStart = performance.now();
  }
}
