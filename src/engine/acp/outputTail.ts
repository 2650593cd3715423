/** The last bytes of what a program prints, cut where a character begins. */
export class OutputTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #saved = 0;
  truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(data: Buffer): void {
    this.#chunks.push(data);
    this.#saved += data.length;
    // Twice as much before it is copied, so that long output in small pieces stays cheap.
    if (this.#saved > 2 * this.#limit + 1024) this.#cut();
  }

  text(): string {
    this.#cut();
    // An unfinished character at the end is still to come.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks), { stream: true });
  }

  #cut(): void {
    if (this.#saved <= this.#limit) return;
    this.truncated = true;
    const all = Buffer.concat(this.#chunks);
    let from = all.length - this.#limit;
    while (from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    const rest = Buffer.from(all.subarray(from));
    this.#chunks = [rest];
    this.#saved = rest.length;
  }
}
