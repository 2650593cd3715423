import { charactersOf } from '../../model/text/characters.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';

/** Maximum waiting characters per client. Above that, the client has to read the entries again. */
const maxCharacters = 2 << 20;
const maxUpdates = 2000;

export interface Batch {
  readonly updates: EntryUpdate[];
  readonly hasGap: boolean;
}

/**
 * Updates that wait until a client has taken the previous batch: the newest state of each entry, in order of first change.
 */
export class PendingUpdates {
  #byIndex = new Map<number, EntryUpdate[]>();
  #characters = 0;
  #count = 0;
  #hasGap = false;

  get isEmpty(): boolean {
    return !this.#hasGap && this.#byIndex.size === 0;
  }

  add(updates: readonly EntryUpdate[]): void {
    if (this.#hasGap) return;
    for (const update of updates) this.#addOne(update);
    if (this.#characters > maxCharacters || this.#count > maxUpdates) this.drop();
  }

  /** From now on, the client has to follow the session again. */
  drop(): void {
    this.#clear();
    this.#hasGap = true;
  }

  takeBatch(): Batch {
    const batch = { updates: [...this.#byIndex.values()].flat(), hasGap: this.#hasGap };
    this.#clear();
    this.#hasGap = false;
    return batch;
  }

  #addOne(update: EntryUpdate): void {
    const index = update.op === 'put' ? update.entry.index : update.index;
    const before = this.#byIndex.get(index) ?? [];
    const last = before.at(-1);
    this.#characters += sizeOf(update);
    if (update.op === 'put') {
      for (const outdated of before) this.#characters -= sizeOf(outdated);
      this.#count += 1 - before.length;
      this.#byIndex.set(index, [update]);
    } else if (last?.op === 'append') {
      before[before.length - 1] = { ...last, text: last.text + update.text };
    } else {
      this.#count += 1;
      this.#byIndex.set(index, [...before, update]);
    }
  }

  #clear(): void {
    this.#byIndex = new Map();
    this.#characters = 0;
    this.#count = 0;
  }
}

/** An estimate, in characters. */
function sizeOf(update: EntryUpdate): number {
  return update.op === 'append' ? update.text.length : charactersOf(update.entry) + 500;
}
