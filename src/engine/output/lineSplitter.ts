/** A line without its line end, or the stub of an oversized one. */
export type SplitLine =
  { readonly text: string } | { readonly oversize: { readonly bytes: number; readonly head: string } };

const lineFeed = 10;
const carriageReturn = 13;
const headBytes = 1024;
const firstRoom = 4096;
const defaultMaxLineBytes = 8 << 20;

/**
 * Splits a byte stream at byte 10. Buffers at most twice `cap` bytes; the cost per byte does not depend on chunk sizes.
 * Invalid UTF-8 becomes U+FFFD. A byte order mark at the start is dropped.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** Buffer of the current line: the first `#bufferedBytes` of `#length` bytes so far. */
  #buffer = Buffer.alloc(0);
  #bufferedBytes = 0;
  #length = 0;
  /** Only the first line can start with a byte order mark. */
  #isFirstLine = true;

  constructor(cap = defaultMaxLineBytes) {
    this.#maxLineBytes = cap;
  }

  push(chunk: Uint8Array): SplitLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: SplitLine[] = [];
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      // Most lines lie within one chunk and are read in place.
      if (this.#length === 0) lines.push(this.#makeLine(bytes, from, at, at - from));
      else {
        this.#hold(bytes.subarray(from, at));
        lines.push(this.#takeLine());
      }
      from = at + 1;
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
    return lines;
  }

  /** The last line, if it has no line end. */
  end(): SplitLine[] {
    return this.#length === 0 ? [] : [this.#takeLine()];
  }

  #hold(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxLineBytes) {
      // The line is oversized: only its beginning is kept.
      const head = part.subarray(0, Math.max(0, headBytes - this.#bufferedBytes));
      this.#append(head);
      this.#bufferedBytes = Math.min(this.#bufferedBytes, headBytes);
      this.#buffer = Buffer.from(this.#buffer.subarray(0, this.#bufferedBytes));
    } else this.#append(part);
  }

  #append(part: Uint8Array): void {
    const needed = this.#bufferedBytes + part.length;
    if (needed > this.#buffer.length) {
      const room = Buffer.alloc(Math.max(needed, this.#buffer.length * 2, firstRoom));
      room.set(this.#buffer.subarray(0, this.#bufferedBytes));
      this.#buffer = room;
    }
    this.#buffer.set(part, this.#bufferedBytes);
    this.#bufferedBytes = needed;
  }

  #takeLine(): SplitLine {
    const line = this.#makeLine(this.#buffer, 0, this.#bufferedBytes, this.#length);
    this.#buffer = Buffer.alloc(0);
    this.#bufferedBytes = 0;
    this.#length = 0;
    return line;
  }

  /** Line in `data` from `start` to `end`; `bytes` is its full length. */
  #makeLine(data: Buffer, start: number, end: number, bytes: number): SplitLine {
    let from = start;
    if (this.#isFirstLine && data[from] === 0xef && data[from + 1] === 0xbb && data[from + 2] === 0xbf) from += 3;
    this.#isFirstLine = false;
    if (bytes > this.#maxLineBytes) {
      return { oversize: { bytes, head: data.toString('utf8', from, Math.min(end, from + headBytes)) } };
    }
    const last = end > from && data[end - 1] === carriageReturn ? end - 1 : end;
    return { text: data.toString('utf8', from, last) };
  }
}
