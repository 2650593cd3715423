import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineFailure, failures } from './failures.ts';

/**
 * Writes a file for the user alone. One that is there under that name stays until the new one is whole.
 * @throws EngineFailure where it cannot be written; what the chunks throw
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(chunks), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    const isSystem = error instanceof Error && 'syscall' in error;
    throw isSystem && !EngineFailure.is(error) ? failures.fileUnwritable(file, error.message) : error;
  }
}
