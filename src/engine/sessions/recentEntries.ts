import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { appended } from '../../model/transcript/transcript.ts';

/** Settled entries kept in memory while a session runs; the record has the others. */
const maxSettled = 512;
/** Of these while the record cannot be written. */
const maxUnwritten = 20_000;
/** Characters of all of these, about. */
const maxCharacters = 2 * 1024 * 1024;
const maxUnwrittenCharacters = 64 * 1024 * 1024;

/** The open entries of a running session and the newest settled ones. */
export class RecentEntries {
  readonly #entries = new Map<number, NormalizedEntry>();
  readonly #open = new Set<number>();
  /** Of those that settled. */
  readonly #sizes = new Map<number, number>();
  #characters = 0;

  /** The entries that settled by it, each in its last form. */
  apply(updates: readonly EntryUpdate[]): NormalizedEntry[] {
    const settled = new Map<number, NormalizedEntry>();
    for (const update of updates) {
      if (update.op === 'append') {
        const entry = this.#entries.get(update.index);
        if (entry !== undefined) this.#entries.set(update.index, appended(entry, update.text));
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
        this.#measure(entry.index, sizeOf(entry));
      }
    }
    return [...settled.values()];
  }

  /** Open entries as far as they came, in index order. */
  unsettled(): NormalizedEntry[] {
    return this.open().flatMap((index) => this.#entries.get(index) ?? []);
  }

  /** Forgets the oldest settled entries, which must be in the record (or are lost where `written` is false). */
  trim(written: boolean): void {
    const most = this.#open.size + (written ? maxSettled : maxUnwritten);
    const mostCharacters = written ? maxCharacters : maxUnwrittenCharacters;
    if (this.#entries.size < most * 1.25 && this.#characters < mostCharacters * 1.25) return;
    const indexes = [...this.#entries.keys()].filter((index) => !this.#open.has(index)).sort((a, b) => a - b);
    // The newest one is always there.
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

/** Characters of all texts in a value, however it is made up. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, each: unknown) => sum + sizeOf(each), 0);
}
