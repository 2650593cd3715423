/** The pieces of one message, whatever came between them. */
export class Pieces {
  #parts: string[] = [];
  #length = 0;
  /** New pieces belong to another message. */
  #isComplete = false;

  get length(): number {
    return this.#length;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(piece: string): void {
    if (this.#isComplete) this.clear();
    this.#parts.push(piece);
    this.#length += piece.length;
  }

  /** Another message begins with the next piece; the previous one may still be repeated completely. */
  endMessage(): void {
    this.#isComplete = true;
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
    this.#isComplete = false;
  }

  /** Whether `content` equals all of them. */
  isEqualTo(content: string): boolean {
    return this.#length === content.length && this.#parts.join('') === content;
  }

  /** Whether `content` begins with all of them, if there are any. */
  isPrefixOf(content: string): boolean {
    return this.#length > 0 && this.#length <= content.length && content.startsWith(this.#parts.join(''));
  }
}
