import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { StepNumbers } from '../../model/transcript/steps.ts';

/** Entries per read while counting. */
const chunk = 500;

interface Source {
  total(): number;
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
}

/**
 * Numbers tool calls, which depend on all calls before. Long sessions are counted in the background, so that their end
 * is shown first. Until then, calls have no number.
 */
export class StepIndex {
  readonly #source: Source;
  readonly #seen: (entry: NormalizedEntry) => void;
  readonly #numbers = new StepNumbers();
  #counted = 0;
  #stopped = false;

  /** `seen` is called for every entry once, in order. */
  constructor(source: Source, onEntry: (entry: NormalizedEntry) => void) {
    this.#source = source;
    this.#seen = onEntry;
  }

  /** Number of counted entries, from the first. */
  get counted(): number {
    return this.#counted;
  }

  /** Counts up to the end of the session; returns false if it was stopped. */
  async count(): Promise<boolean> {
    while (this.#counted < this.#source.total() && !this.#stopped) {
      const to = Math.min(this.#counted + chunk, this.#source.total());
      for (const entry of await this.#source.read(this.#counted, to)) {
        // Counted when it arrived.
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

  /** Number of `entry`, if known yet. */
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
