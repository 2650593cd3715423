import type { FileHandle } from 'node:fs/promises';
import { maxLineBytes } from '../layout.ts';

const windowBytes = 1024 * 1024;

/**
 * Consecutive whole lines at `offset`. Only the last window of a file may end without a line end. The buffer is reused
 * for the next window. `oversizeLine`: a single oversized line, with its beginning in `buffer`.
 */
export interface Window {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly oversizeLine: { readonly bytes: number } | null;
}

/** Reads the file from `from`, the start of a line, up to `to`, window by window. */
export async function* windows(handle: FileHandle, from: number, to: number): AsyncGenerator<Window> {
  let buffer = Buffer.allocUnsafe(Math.min(windowBytes, Math.max(1, to - from)));
  let heldBytes = 0;
  for (let offset = from; offset < to;) {
    const want = Math.min(buffer.length - heldBytes, to - offset - heldBytes);
    const { bytesRead } = await handle.read(buffer, heldBytes, want, offset + heldBytes);
    heldBytes += bytesRead;
    const atEnd = bytesRead === 0 || offset + heldBytes >= to;
    const end = buffer.lastIndexOf(10, heldBytes - 1) + 1;
    const take = atEnd ? heldBytes : end;
    if (take > 0) {
      yield { buffer: buffer.subarray(0, take), offset, oversizeLine: null };
      buffer.copyWithin(0, take, heldBytes);
      heldBytes -= take;
      offset += take;
      if (atEnd) return;
    } else if (atEnd) {
      return;
    } else if (heldBytes === buffer.length && heldBytes >= maxLineBytes) {
      const next = await nextLineStart(handle, offset + heldBytes, to);
      yield { buffer: buffer.subarray(0, windowBytes), offset, oversizeLine: { bytes: next - offset } };
      offset = next;
      heldBytes = 0;
    } else if (heldBytes === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2);
      buffer.copy(larger, 0, 0, heldBytes);
      buffer = larger;
    }
  }
}

async function nextLineStart(handle: FileHandle, from: number, to: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(windowBytes);
  for (let offset = from; offset < to;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(windowBytes, to - offset), offset);
    if (bytesRead === 0) return to;
    const end = buffer.subarray(0, bytesRead).indexOf(10);
    if (end >= 0) return offset + end + 1;
    offset += bytesRead;
  }
  return to;
}

/** Start and end (without the line end) of each line in a buffer. */
export function* linesOf(buffer: Buffer): Generator<{ start: number; end: number }> {
  for (let start = 0; start < buffer.length;) {
    const found = buffer.indexOf(10, start);
    const end = found < 0 ? buffer.length : found;
    yield { start, end };
    start = end + 1;
  }
}

/** Reads exactly these bytes, or fewer at the end of the file. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let readBytes = 0;
  while (readBytes < length) {
    const { bytesRead } = await handle.read(buffer, readBytes, length - readBytes, offset + readBytes);
    if (bytesRead === 0) break;
    readBytes += bytesRead;
  }
  return buffer.subarray(0, readBytes);
}
