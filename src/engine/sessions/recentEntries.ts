import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { charactersOf } from '../../model/text/characters.ts';
import { appendContent } from '../../model/transcript/transcript.ts';

/** Maximum number of settled entries in memory during a run; the record has the others. */
const maxSettled = 512;
/** As above, while the record cannot be written. */
const maxUnwritten = 20_000;
/** Approximate maximum number of their characters. */
const maxCharacters = 2 * 1024 * 1024;
const maxUnwrittenCharacters = 64 * 1024 * 1024;

/** The open entries of a running session and its newest settled ones. */
export class RecentEntries {
  readonly #entries = new Map<number, NormalizedEntry>();
  readonly #open = new Set<number>();
  /** Sizes of settled entries. */
  readonly #sizes = new Map<number, number>();
  #characters = 0;

  /** Returns the entries that settled, in their final state. */
  apply(updates: readonly EntryUpdate[]): NormalizedEntry[] {
    const settled = new Map<number, NormalizedEntry>();
    for (const update of updates) {
      if (update.op === 'append') {
        const entry = this.#entries.get(update.index);
        if (entry !== undefined) this.#entries.set(update.index, appendContent(entry, update.text));
        continue;
      }
      const { entry } = update;
      this.#entries.set(entry.index, entry);
      if (update.open === true) {
        this.#open.add(entry.index);
        settled.delete(entry.index);
      } else {
        this.#open.delete(entry.index);
        settled.set(entry.index, entry);
        this.#measure(entry.index, charactersOf(entry));
      }
    }
    return [...settled.values()];
  }

  /** Current state of open entries, in index order. */
  unsettled(): NormalizedEntry[] {
    return this.open().flatMap((index) => this.#entries.get(index) ?? []);
  }

  /** Drops the oldest settled entries. They must be in the record, or are lost if `written` is false. */
  trim(written: boolean): void {
    const most = this.#open.size + (written ? maxSettled : maxUnwritten);
    const mostCharacters = written ? maxCharacters : maxUnwrittenCharacters;
    if (this.#entries.size < most * 1.25 && this.#characters < mostCharacters * 1.25) return;
    const indexes = [...this.#entries.keys()].filter((index) => !this.#open.has(index)).sort((a, b) => a - b);
    // Always keeps the newest one.
    for (const index of indexes.slice(0, -1)) {
      if (this.#entries.size <= most && this.#characters <= mostCharacters) return;
      this.#entries.delete(index);
      this.#measure(index, 0);
    }
  }

  #measure(index: number, size: number): void {
    this.#characters += size - (this.#sizes.get(index) ?? 0);
    if (size === 0) this.#sizes.delete(index);
    else this.#sizes.set(index, size);
  }

  get(index: number): NormalizedEntry | undefined {
    return this.#entries.get(index);
  }

  open(): number[] {
    return [...this.#open].sort((a, b) => a - b);
  }

  clear(): void {
    this.#entries.clear();
    this.#open.clear();
    this.#sizes.clear();
    this.#characters = 0;
  }
}
