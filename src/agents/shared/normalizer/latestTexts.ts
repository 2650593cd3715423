/** Characters kept of an answer; the entries have all of it. */
const maxCharacters = 4 * 1024 * 1024;

/** Texts by entry index; of many, only the latest. */
export class LatestTexts {
  readonly #texts = new Map<number, string>();
  #length = 0;
  #isCut = false;

  set(index: number, text: string): void {
    this.delete(index);
    this.#texts.set(index, text);
    this.#length += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= maxCharacters || oldest === index) return;
      this.#isCut = true;
      this.delete(oldest);
    }
  }

  delete(index: number): void {
    this.#length -= this.#texts.get(index)?.length ?? 0;
    this.#texts.delete(index);
  }

  lengthOf(index: number): number {
    return this.#texts.get(index)?.length ?? 0;
  }

  clear(): void {
    this.#texts.clear();
    this.#length = 0;
    this.#isCut = false;
  }

  /** Texts in order of arrival. */
  values(): readonly string[] {
    return [...this.#texts.values()];
  }

  /** Texts in entry order; begins with a mark if earlier ones are omitted. */
  join(between: string): string {
    const texts = [...this.#texts].sort(([a], [b]) => a - b).map(([, text]) => text);
    return [...(this.#isCut ? ['[…]'] : []), ...texts].join(between);
  }
}
