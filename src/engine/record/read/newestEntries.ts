import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { charactersOf } from '../../../model/text/characters.ts';

/** Maximum number of entries in memory, and of their characters; older ones are read again on demand. */
const maxEntries = 2048;
const maxCharacters = 2 << 20;

/** The entries of an open record that were read last, in their last state. */
export class NewestEntries {
  readonly #entries = new Map<number, { readonly entry: NormalizedEntry; readonly characters: number }>();
  #characters = 0;

  constructor(entries: Iterable<readonly [number, NormalizedEntry]>) {
    for (const [index, entry] of entries) this.put(index, entry);
  }

  get(index: number): NormalizedEntry | undefined {
    return this.#entries.get(index)?.entry;
  }

  put(index: number, entry: NormalizedEntry): void {
    this.#delete(index);
    const characters = charactersOf(entry);
    this.#entries.set(index, { entry, characters });
    this.#characters += characters;
    while (this.#entries.size > maxEntries || this.#characters > maxCharacters) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) return;
      this.#delete(oldest);
    }
  }

  #delete(index: number): void {
    this.#characters -= this.#entries.get(index)?.characters ?? 0;
    this.#entries.delete(index);
  }
}
