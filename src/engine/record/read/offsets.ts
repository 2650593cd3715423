/** Indexes that exceed the possible number of entries by more than this are damage. */
const indexSlack = 1_000_000;
const minLineBytes = 64;

export interface Span {
  readonly offset: number;
  readonly bytes: number;
}

/** Position of each entry's line: 12 bytes per entry. The last value set counts. */
export class EntryOffsets {
  #offsets = new Float64Array(1024);
  #lengths = new Uint32Array(1024);
  #size = 0;

  /** Highest index + 1. */
  get size(): number {
    return this.#size;
  }

  /** Returns false if the index is not plausible at this offset. */
  set(index: number, { offset, bytes }: Span): boolean {
    if (!isPlausible(index, offset)) return false;
    if (index >= this.#offsets.length) this.#grow(index + 1);
    this.#offsets[index] = offset;
    this.#lengths[index] = bytes;
    if (index >= this.#size) this.#size = index + 1;
    return true;
  }

  get(index: number): Span | null {
    const bytes = this.#lengths[index] ?? 0;
    return bytes === 0 ? null : { offset: this.#offsets[index] ?? 0, bytes };
  }

  /** Indexes of entries whose line was not complete when the file had that size, ascending. */
  changedSince(size: number): number[] {
    const changed: number[] = [];
    for (let index = 0; index < this.#size; index += 1) {
      const span = this.get(index);
      if (span !== null && span.offset + span.bytes >= size) changed.push(index);
    }
    return changed;
  }

  #grow(needed: number): void {
    const capacity = Math.max(needed, this.#offsets.length * 2);
    const offsets = new Float64Array(capacity);
    offsets.set(this.#offsets);
    const lengths = new Uint32Array(capacity);
    lengths.set(this.#lengths);
    this.#offsets = offsets;
    this.#lengths = lengths;
  }
}

export function isPlausible(index: number, offset: number): boolean {
  return index <= offset / minLineBytes + indexSlack;
}
