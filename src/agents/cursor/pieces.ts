/** The pieces of one message, whatever came in between them. */
export class Pieces {
  #parts: string[] = [];
  #length = 0;
  /** What comes now belongs to another message. */
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

  /** Another message begins with the next piece; the one before may still be repeated whole. */
  end(): void {
    this.#over = true;
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
    this.#over = false;
  }

  /** Whether `shown` is all of them. */
  are(shown: string): boolean {
    return this.#length === shown.length && this.#parts.join('') === shown;
  }

  /** Whether `shown` begins with all of them, of which there are some. */
  begin(shown: string): boolean {
    return this.#length > 0 && this.#length <= shown.length && shown.startsWith(this.#parts.join(''));
  }
}
