const defaultCap = 64 << 20;

/** Collects the text of a stream, up to `cap` bytes. */
export class TextBuffer {
  readonly #cap: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #bytes = 0;

  constructor(cap = defaultCap) {
    this.#cap = cap;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#held >= this.#cap) return;
    const saved = chunk.subarray(0, this.#cap - this.#held);
    this.#chunks.push(saved);
    this.#held += saved.length;
  }

  get text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks));
  }

  warning(stream: string): string[] {
    return this.#bytes > this.#held ? [`${stream} contains the first ${this.#held} of ${this.#bytes} bytes.`] : [];
  }
}
