import type { EntryUpdate, NormalizedEntry } from './entry.ts';

/** The entry with `text` appended. */
export function appendContent(entry: NormalizedEntry, text: string): NormalizedEntry {
  const content = entry.content + text;
  if (entry.type.kind !== 'thinking') return { ...entry, content };
  return { ...entry, content, type: { ...entry.type, reasoning: (entry.type.reasoning ?? '') + text } };
}

/** Entries by index, and which of them are still open. */
export class Transcript {
  readonly #entries = new Map<number, NormalizedEntry>();
  readonly #open = new Set<number>();

  apply(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op === 'put') {
        this.#entries.set(update.entry.index, update.entry);
        if (update.open === true) this.#open.add(update.entry.index);
        else this.#open.delete(update.entry.index);
      } else {
        const entry = this.#entries.get(update.index);
        if (entry !== undefined) this.#entries.set(update.index, appendContent(entry, update.text));
      }
    }
  }

  get(index: number): NormalizedEntry | undefined {
    return this.#entries.get(index);
  }

  open(): number[] {
    return [...this.#open].sort((a, b) => a - b);
  }

  /** All entries in index order. */
  settledEntries(): NormalizedEntry[] {
    return [...this.#entries.values()].sort((a, b) => a.index - b.index);
  }
}
