import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { escapedJson, exactStream } from './terminalText.ts';

/** Writes one JSON value per line, no faster than the reader accepts them. */
export async function writeLines(to: Writable, values: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  const stream = exactStream(to);
  let batch = '';
  for await (const value of values) {
    batch += `${escapedJson(JSON.stringify(value))}\n`;
    if (batch.length < batchLength) continue;
    await write(stream, batch);
    batch = '';
  }
  await write(stream, batch);
}

const batchLength = 1 << 16;

async function write(stream: Writable, text: string): Promise<void> {
  // Without a reader, `drain` would never come.
  if (text === '' || stream.destroyed) return;
  if (!stream.write(text)) await once(stream, 'drain');
}
