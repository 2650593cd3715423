const defaultMaxBytes = 64 << 20;

/** Collects the text of a stream, up to `cap` bytes. */
export class TextBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #savedBytes = 0;
  #bytes = 0;

  constructor(cap = defaultMaxBytes) {
    this.#maxBytes = cap;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#savedBytes >= this.#maxBytes) return;
    const saved = chunk.subarray(0, this.#maxBytes - this.#savedBytes);
    this.#chunks.push(saved);
    this.#savedBytes += saved.length;
  }

  get text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks));
  }

  warnings(stream: string): string[] {
    return this.#bytes > this.#savedBytes
      ? [`${stream} contains the first ${this.#savedBytes} of ${this.#bytes} bytes.`]
      : [];
  }
}
