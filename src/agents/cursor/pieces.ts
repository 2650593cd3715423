/** The pieces of one message, whatever came between them. */
export class Pieces {
  #parts: string[] = [];
  #length = 0;
  /** New pieces belong to another message. */
  #over = false;

  get length(): number {
    return this.#length;
  }

  get isOver(): boolean {
    return this.#over;
  }

  add(piece: string): void {
    if (this.#over) this.clear();
    this.#parts.push(piece);
    this.#length += piece.length;
  }

  /** Another message begins with the next piece; the previous one may still be repeated completely. */
  end(): void {
    this.#over = true;
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
    this.#over = false;
  }

  /** Whether `shown` equals all of them. */
  are(shown: string): boolean {
    return this.#length === shown.length && this.#parts.join('') === shown;
  }

  /** Whether `shown` begins with all of them, if there are any. */
  begin(shown: string): boolean {
    return this.#length > 0 && this.#length <= shown.length && shown.startsWith(this.#parts.join(''));
  }
}
