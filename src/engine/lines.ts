/** A line without its end, or the stub of one over the cap. `offset` is that of its first byte in the stream. */
export type LineOut =
  | { readonly text: string; readonly offset: number }
  | { readonly oversize: { readonly bytes: number; readonly head: string }; readonly offset: number };

const lineFeed = 10;
const carriageReturn = 13;
const headBytes = 1024;
const defaultCap = 8 << 20;

/**
 * Cuts a stream of bytes into lines at byte 10 and nowhere else. Holds at most `cap` bytes; each byte is looked at once,
 * however the chunks fall. Invalid UTF-8 becomes U+FFFD, a byte order mark at the start is dropped.
 */
export class LineSplitter {
  readonly #cap: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #held = 0;
  /** Bytes of the line so far; more than `#held` once it is over the cap. */
  #length = 0;
  /** Offset of the line that is being gathered. */
  #offset = 0;

  constructor(cap = defaultCap) {
    this.#cap = cap;
  }

  push(chunk: Uint8Array): LineOut[] {
    const lines: LineOut[] = [];
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      this.#hold(chunk.subarray(from, at));
      lines.push(this.#take());
      this.#offset += 1;
      from = at + 1;
    }
    // A copy: the rest of a small line would otherwise keep the whole chunk alive.
    if (from < chunk.length) this.#hold(chunk.slice(from));
    return lines;
  }

  /** The last line, where it has no end. */
  end(): LineOut[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #hold(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#cap || this.#held < headBytes) {
      this.#parts.push(part);
      this.#held += part.length;
    }
    if (this.#length > this.#cap) {
      this.#parts = [this.#bytes().slice(0, headBytes)];
      this.#held = Math.min(this.#held, headBytes);
    }
  }

  #bytes(): Uint8Array {
    const [first] = this.#parts;
    if (first !== undefined && this.#parts.length === 1) return first;
    const joined = new Uint8Array(this.#held);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #take(): LineOut {
    const offset = this.#offset;
    const bytes = this.#length;
    let data = this.#bytes();
    this.#parts = [];
    this.#held = 0;
    this.#length = 0;
    this.#offset += bytes;
    if (offset === 0 && data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) data = data.subarray(3);
    if (bytes > this.#cap) return { oversize: { bytes, head: this.#decoder.decode(data) }, offset };
    if (data.at(-1) === carriageReturn) data = data.subarray(0, -1);
    return { text: this.#decoder.decode(data), offset };
  }
}
