import { hash } from 'node:crypto';
import { errorCode, maxLineBytes } from '../layout.ts';
import { openUnpacked } from '../pack/packFile.ts';
import { readLine } from '../read/readLine.ts';
import { linesOf, readAt, windows } from '../read/windows.ts';

const tailBytes = 64 * 1024;

/** Previous hash in the first line of a record. */
export const chainStart = '0'.repeat(64);

const link = /,"prev":"([0-9a-f]{64})"\}$/;
const linkBytes = ',"prev":""}'.length + 64;

/** SHA-256 of a line without its line end, hexadecimal. */
export function hashOfLine(line: Buffer): string {
  return hash('sha256', line, 'hex');
}

/** Hash of the previous line, as stored in this line; `null` if it has none. */
export function linkOf(line: Buffer): string | null {
  return link.exec(line.subarray(-linkBytes).toString('latin1'))?.[1] ?? null;
}

const anyLink = /,"prev":"[^"]*"\}$/;

/** Hash of a line if it were linked to `before`. */
export function hashIfLinked(line: Buffer, previousHead: string): string {
  const [own = '}'] = anyLink.exec(line.subarray(-linkBytes).toString('latin1')) ?? [];
  return hashOfLine(Buffer.concat([line.subarray(0, -own.length), Buffer.from(`,"prev":"${previousHead}"}`)]));
}

/** Adds the hash of the previous line to each line, as its last key. One instance per writer. */
export class Chain {
  #head: string;
  #previousHead: string | null = null;

  /** `last`: hash of the last existing line; `null` if there is none. */
  constructor(last: string | null) {
    this.#head = last ?? chainStart;
  }

  /** Hash of the last line. */
  get head(): string {
    return this.#head;
  }

  /** Hash that the last line links to; `null` if this instance did not write that line. */
  get before(): string | null {
    return this.#previousHead;
  }

  /** `lines`: JSON objects without line ends; the result has line ends. */
  seal(lines: readonly string[]): Buffer {
    let text = '';
    for (const line of lines) {
      const sealed = `${line.slice(0, -1)},"prev":"${this.#head}"}`;
      this.#previousHead = this.#head;
      this.#head = hash('sha256', sealed, 'hex');
      text += `${sealed}\n`;
    }
    return Buffer.from(text);
  }
}

/** Ranges of the intact objects in a line: the whole line, or parts of a damaged one. */
export function findIntactLines(line: Buffer): { readonly start: number; readonly end: number }[] {
  // A CR before the line end is not part of the line.
  const end = line.at(-1) === 13 ? line.length - 1 : line.length;
  if (line[0] === 123 && isJson(line.subarray(0, end))) return [{ start: 0, end }];
  return readLine(line, 0).found.map(({ offset, bytes }) => ({ start: offset, end: offset + bytes }));
}

/** Hash of the last intact line of a record; `null` if there is none. @throws file system errors */
export async function lastHash(file: string): Promise<string | null> {
  const handle = await openUnpacked(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    for (let length = Math.min(tailBytes, size); length > 0; length = Math.min(length * 2, size)) {
      const bytes = await readAt(handle, size - length, length);
      const first = length === size ? 0 : bytes.indexOf(10) + 1;
      const whole = bytes.subarray(first);
      // At most one window of lines, so reading forward is fast enough.
      const lines = first === 0 && length < size ? [] : [...linesOf(whole)];
      for (const { start, end } of lines.reverse()) {
        const line = whole.subarray(start, end);
        const last = findIntactLines(line).at(-1);
        if (last !== undefined) return hashOfLine(line.subarray(last.start, last.end));
      }
      if (length === size || length > maxLineBytes * 2) return null;
    }
    return null;
  } finally {
    await handle.close();
  }
}

/** Hashes of all intact lines in order. @throws file system errors */
export async function* hashesOf(file: string): AsyncGenerator<string> {
  const handle = await openUnpacked(file);
  try {
    const { size } = await handle.stat();
    for await (const { buffer, oversizeLine } of windows(handle, 0, size)) {
      if (oversizeLine !== null) continue;
      for (const { start, end } of linesOf(buffer)) {
        const line = buffer.subarray(start, end);
        for (const found of findIntactLines(line)) yield hashOfLine(line.subarray(found.start, found.end));
      }
    }
  } finally {
    await handle.close();
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
