/** The last bytes of a program's output, starting at a character boundary. */
export class OutputTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #savedBytes = 0;
  truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(data: Buffer): void {
    this.#chunks.push(data);
    this.#savedBytes += data.length;
    // Copies only at twice the limit, so that many small chunks stay cheap.
    if (this.#savedBytes > 2 * this.#limit + 1024) this.#truncate();
  }

  text(): string {
    this.#truncate();
    // An incomplete character at the end may be completed later.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks), { stream: true });
  }

  #truncate(): void {
    if (this.#savedBytes <= this.#limit) return;
    this.truncated = true;
    const all = Buffer.concat(this.#chunks);
    let from = all.length - this.#limit;
    while (from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    const rest = Buffer.from(all.subarray(from));
    this.#chunks = [rest];
    this.#savedBytes = rest.length;
  }
}
