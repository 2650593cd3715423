/** A line without its line end, or the stub of an oversized one. */
export type SplitLine =
  { readonly text: string } | { readonly oversize: { readonly bytes: number; readonly head: string } };

const lineFeed = 10;
const carriageReturn = 13;
const headBytes = 1024;
const firstRoom = 4096;
const defaultCap = 8 << 20;

/**
 * Splits a byte stream at byte 10. Buffers at most twice `cap` bytes; the cost per byte does not depend on chunk sizes.
 * Invalid UTF-8 becomes U+FFFD. A byte order mark at the start is dropped.
 */
export class LineSplitter {
  readonly #cap: number;
  /** Buffer of the current line: the first `#held` of `#length` bytes so far. */
  #room = Buffer.alloc(0);
  #held = 0;
  #length = 0;
  /** Only the first line can start with a byte order mark. */
  #first = true;

  constructor(cap = defaultCap) {
    this.#cap = cap;
  }

  push(chunk: Uint8Array): SplitLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: SplitLine[] = [];
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      // Most lines lie within one chunk and are read in place.
      if (this.#length === 0) lines.push(this.#line(bytes, from, at, at - from));
      else {
        this.#hold(bytes.subarray(from, at));
        lines.push(this.#take());
      }
      from = at + 1;
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
    return lines;
  }

  /** The last line, if it has no line end. */
  end(): SplitLine[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #hold(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#cap) {
      // The line is oversized: only its beginning is kept.
      const head = part.subarray(0, Math.max(0, headBytes - this.#held));
      this.#append(head);
      this.#held = Math.min(this.#held, headBytes);
      this.#room = Buffer.from(this.#room.subarray(0, this.#held));
    } else this.#append(part);
  }

  #append(part: Uint8Array): void {
    const needed = this.#held + part.length;
    if (needed > this.#room.length) {
      const room = Buffer.alloc(Math.max(needed, this.#room.length * 2, firstRoom));
      room.set(this.#room.subarray(0, this.#held));
      this.#room = room;
    }
    this.#room.set(part, this.#held);
    this.#held = needed;
  }

  #take(): SplitLine {
    const line = this.#line(this.#room, 0, this.#held, this.#length);
    this.#room = Buffer.alloc(0);
    this.#held = 0;
    this.#length = 0;
    return line;
  }

  /** Line in `data` from `start` to `end`; `bytes` is its full length. */
  #line(data: Buffer, start: number, end: number, bytes: number): SplitLine {
    let from = start;
    if (this.#first && data[from] === 0xef && data[from + 1] === 0xbb && data[from + 2] === 0xbf) from += 3;
    this.#first = false;
    if (bytes > this.#cap) {
      return { oversize: { bytes, head: data.toString('utf8', from, Math.min(end, from + headBytes)) } };
    }
    const last = end > from && data[end - 1] === carriageReturn ? end - 1 : end;
    return { text: data.toString('utf8', from, last) };
  }
}
