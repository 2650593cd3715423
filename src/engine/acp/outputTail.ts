/** The last bytes of a program's output, starting at a character boundary. */
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
    // Copies only at twice the limit, so that many small chunks stay cheap.
    if (this.#saved > 2 * this.#limit + 1024) this.#cut();
  }

  text(): string {
    this.#cut();
    // An incomplete character at the end may be completed later.
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
