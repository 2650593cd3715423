import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { StepNumbers } from '../../model/transcript/steps.ts';

/** Entries per read while counting. */
const chunk = 500;

interface Source {
  entryCount(): number;
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
}

export interface EntryState {
  /** Not passed before. */
  readonly isNew: boolean;
  /** Will not change again. Otherwise it may still be open. */
  readonly isSettled: boolean;
}

/**
 * Numbers tool calls, which depend on all calls before. Long sessions are counted in the background, so that their end
 * is shown first. Until then, calls have no number.
 */
export class StepIndex {
  readonly #source: Source;
  readonly #onEntry: (entry: NormalizedEntry, state: EntryState) => void;
  readonly #numbers = new StepNumbers();
  /** Entries that settled before they were counted. A read that began earlier has older versions of them. */
  readonly #settled = new Map<number, NormalizedEntry>();
  #countedEntries = 0;
  #isStopped = false;

  /** `onEntry` is called for every entry in order, and again if it settles later. */
  constructor(source: Source, onEntry: (entry: NormalizedEntry, state: EntryState) => void) {
    this.#source = source;
    this.#onEntry = onEntry;
  }

  /** Number of counted entries, from the first. */
  get counted(): number {
    return this.#countedEntries;
  }

  /** Counts up to the end of the session; returns false if it was stopped. */
  async count(): Promise<boolean> {
    while (this.#countedEntries < this.#source.entryCount() && !this.#isStopped) {
      const to = Math.min(this.#countedEntries + chunk, this.#source.entryCount());
      for (const entry of await this.#source.read(this.#countedEntries, to)) {
        // Counted when it arrived.
        if (entry.index < this.#countedEntries) continue;
        this.#addNumber(entry);
      }
      this.#countedEntries = Math.max(this.#countedEntries, to);
    }
    return !this.#isStopped;
  }

  get isNearEnd(): boolean {
    return this.#source.entryCount() - this.#countedEntries <= chunk;
  }

  /** Number of `entry`, if known yet. */
  numberOf(entry: NormalizedEntry): string | undefined {
    if (entry.index < this.#countedEntries) return this.#numbers.numberOf(entry.index) ?? this.#numbers.add(entry);
    if (entry.index > this.#countedEntries) return undefined;
    this.#countedEntries += 1;
    return this.#addNumber(entry);
  }

  /** Call for every entry that has settled. */
  settle(entry: NormalizedEntry): void {
    if (entry.index < this.#countedEntries) this.#onEntry(entry, { isNew: false, isSettled: true });
    else this.#settled.set(entry.index, entry);
  }

  #addNumber(entry: NormalizedEntry): string | undefined {
    const settled = this.#settled.get(entry.index);
    this.#settled.delete(entry.index);
    this.#onEntry(settled ?? entry, { isNew: true, isSettled: settled !== undefined });
    return this.#numbers.add(entry);
  }

  stop(): void {
    this.#isStopped = true;
  }
}
