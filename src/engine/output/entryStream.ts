import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { appendContent } from '../../model/transcript/transcript.ts';

/**
 * Turns updates into entries: each `put`, and grown text once per batch. The first states of entries are emitted in
 * index order.
 */
export class EntryStream {
  /** Unfinished entries by index. */
  readonly #open = new Map<number, NormalizedEntry>();
  /** States of entries that arrived before an entry with a lower index. */
  readonly #earlyStates = new Map<number, NormalizedEntry[]>();
  #nextIndex = 0;

  apply(updates: readonly EntryUpdate[]): NormalizedEntry[] {
    const out: NormalizedEntry[] = [];
    const grownIndexes = new Set<number>();
    for (const update of updates) {
      if (update.op === 'append') {
        const entry = this.#open.get(update.index);
        if (entry === undefined) continue;
        this.#open.set(update.index, appendContent(entry, update.text));
        grownIndexes.add(update.index);
        continue;
      }
      const { entry } = update;
      grownIndexes.delete(entry.index);
      if (update.open === true) this.#open.set(entry.index, entry);
      else this.#open.delete(entry.index);
      this.#emit(entry, out);
    }
    for (const index of grownIndexes) {
      const entry = this.#open.get(index);
      if (entry !== undefined) this.#emit(entry, out);
    }
    return out;
  }

  /** Returns entries that still wait for a lower index, because none will come. */
  end(): NormalizedEntry[] {
    const remaining = [...this.#earlyStates].sort(([a], [b]) => a - b).flatMap(([, states]) => states);
    this.#earlyStates.clear();
    return remaining;
  }

  #emit(entry: NormalizedEntry, out: NormalizedEntry[]): void {
    if (entry.index > this.#nextIndex) {
      this.#earlyStates.set(entry.index, [...(this.#earlyStates.get(entry.index) ?? []), entry]);
      return;
    }
    out.push(entry);
    if (entry.index < this.#nextIndex) return;
    for (let earlyState: NormalizedEntry[] | undefined; ; out.push(...earlyState)) {
      this.#nextIndex += 1;
      earlyState = this.#earlyStates.get(this.#nextIndex);
      if (earlyState === undefined) return;
      this.#earlyStates.delete(this.#nextIndex);
    }
  }
}
