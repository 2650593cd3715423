import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { StepNumbers } from '../../model/transcript/steps.ts';

/** Entries read at once while counting. */
const chunk = 500;

interface Source {
  total(): number;
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
}

/**
 * Numbers of tool calls need every call before them. A long session is counted in the background, a chunk at a time, so
 * that its end can be shown first; until then its calls have no number.
 */
export class StepIndex {
  readonly #source: Source;
  readonly #seen: (entry: NormalizedEntry) => void;
  readonly #numbers = new StepNumbers();
  #counted = 0;
  #stopped = false;

  /** `seen` is told of every entry once, in order. */
  constructor(source: Source, seen: (entry: NormalizedEntry) => void) {
    this.#source = source;
    this.#seen = seen;
  }

  /** Entries that were counted, from the first. */
  get counted(): number {
    return this.#counted;
  }

  /** Counts up to the end of the session; false where it was stopped before. */
  async count(): Promise<boolean> {
    while (this.#counted < this.#source.total() && !this.#stopped) {
      const to = Math.min(this.#counted + chunk, this.#source.total());
      for (const entry of await this.#source.read(this.#counted, to)) {
        // What came meanwhile was counted as it came.
        if (entry.index < this.#counted) continue;
        this.#numbers.add(entry);
        this.#seen(entry);
      }
      this.#counted = Math.max(this.#counted, to);
    }
    return !this.#stopped;
  }

  get short(): boolean {
    return this.#source.total() - this.#counted <= chunk;
  }

  /** The number of `entry`, if it is known yet. */
  of(entry: NormalizedEntry): string | undefined {
    if (entry.index < this.#counted) return this.#numbers.of(entry.index) ?? this.#numbers.add(entry);
    if (entry.index > this.#counted) return undefined;
    this.#counted += 1;
    this.#seen(entry);
    return this.#numbers.add(entry);
  }

  stop(): void {
    this.#stopped = true;
  }
}
