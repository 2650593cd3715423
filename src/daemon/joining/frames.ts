/** What a WebSocket server sends (RFC 6455), as far as it matters here. */
export type Frame =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'ping'; readonly data: Buffer }
  | { readonly kind: 'close' };

const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;
/** Longer messages are refused, in bytes. */
const maxMessage = 64 * 1024 * 1024;

interface Head {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly start: number;
  readonly length: number;
}

/** Takes bytes in any portions, and returns complete messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes without which there is nothing to read. */
  #needed = 2;
  /** The parts of a text that is not complete yet. */
  #parts: Buffer[] = [];

  /** @throws RangeError for a message over the limit */
  add(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const frames: Frame[] = [];
    while (this.#size >= this.#needed) {
      const bytes = joined(this.#chunks);
      const head = headOf(bytes);
      const end = head === undefined ? bytes.length : head.start + head.length;
      if (head === undefined || bytes.length < end) {
        this.#chunks = [bytes];
        this.#needed = head === undefined ? bytes.length + 1 : end;
        break;
      }
      this.#chunks = [bytes.subarray(end)];
      this.#size -= end;
      this.#needed = 2;
      const frame = this.#frame(head, bytes.subarray(head.start, end));
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  #frame({ opcode, isLast }: Head, data: Buffer): Frame | undefined {
    switch (opcode) {
      case opcodes.ping:
        return { kind: 'ping', data };
      case opcodes.close:
        return { kind: 'close' };
      case opcodes.text:
      case opcodes.continuation: {
        this.#parts.push(data);
        if (this.#parts.reduce((sum, { length }) => sum + length, 0) > maxMessage) throw tooLong();
        if (!isLast) return undefined;
        return { kind: 'text', text: Buffer.concat(this.#parts.splice(0)).toString('utf8') };
      }
      default:
        return undefined;
    }
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, ...more] = chunks;
  return first !== undefined && more.length === 0 ? first : Buffer.concat(chunks);
}

/** `undefined`: more bytes are needed. */
function headOf(bytes: Buffer): Head | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (length > maxMessage) throw tooLong();
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, start, length };
}

function tooLong(): RangeError {
  return new RangeError(`A message is longer than ${maxMessage} bytes.`);
}

/** A frame of a client, which has to be masked. `mask`: four random bytes. */
export function clientFrame(kind: 'text' | 'pong' | 'close', data: Buffer, mask: Buffer): Buffer {
  const { length } = data;
  const size = length < 126 ? 2 : length < 0x1_0000 ? 4 : 10;
  const head = Buffer.alloc(size);
  head[0] = 0x80 | opcodes[kind];
  head[1] = 0x80 | (size === 2 ? length : size === 4 ? 126 : 127);
  if (size === 4) head.writeUInt16BE(length, 2);
  if (size === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = Buffer.from(data.map((byte, at) => byte ^ (mask[at & 3] ?? 0)));
  return Buffer.concat([head, mask, masked]);
}
