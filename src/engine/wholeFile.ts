import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineFailure, failures } from './failures.ts';
import { errorCode } from './record/layout.ts';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes a file for the user alone, or with the permissions of the one that is there under that name, which stays until the
 * new one is whole. What a link leads to is replaced, not the link; what is no file (a pipe, a terminal) takes it as it comes.
 * @throws EngineFailure where it cannot be written; what the chunks throw
 */
export async function writeWhole(file: string, chunks: Chunks): Promise<void> {
  try {
    const there = await stat(file).catch(missing);
    if (there === null) await replace(file, null, chunks);
    else if (there.isFile()) await replace(await realpath(file), there.mode, chunks);
    else await pipeline(Readable.from(chunks), createWriteStream(file));
  } catch (error) {
    const isSystem = error instanceof Error && 'syscall' in error;
    throw isSystem && !EngineFailure.is(error) ? failures.fileUnwritable(file, error.message) : error;
  }
}

async function replace(file: string, mode: number | null, chunks: Chunks): Promise<void> {
  // A name that nobody can have put a link under.
  const part = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    await pipeline(Readable.from(chunks), createWriteStream(part, { flags: 'wx', mode: 0o600 }));
    if (mode !== null) await chmod(part, mode & 0o777);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

function missing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
