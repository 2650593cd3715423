import { writeFile, chmod, realpath, rename, rm, stat } from 'node:fs/promises';
import { createPrivateFolder } from '../output/sideFiles.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineFailure, failures } from '../failures/failures.ts';
import { errorCode } from '../record/layout.ts';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Suffix of temporary files, which are written next to the target. A killed process leaves them behind. */
export const partEnding = '.part';

/**
 * Writes a file that only the user can read, or with the permissions of the existing file, which stays until the new
 * one is complete. Follows links. Chunks go directly to a pipe or terminal.
 * @throws EngineFailure if it cannot be written, errors of `chunks`, AbortError
 */
export async function writeWhole(file: string, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  try {
    const existing = await stat(file).catch(nullIfMissing);
    if (existing === null) await replace(file, null, chunks, signal);
    else if (existing.isFile()) await replace(await realpath(file), existing.mode, chunks, signal);
    else await write(chunks, createWriteStream(file), signal);
  } catch (error) {
    const isSystem = error instanceof Error && 'syscall' in error;
    throw isSystem && !EngineFailure.is(error) ? failures.fileUnwritable(file, error.message) : error;
  }
}

async function replace(file: string, mode: number | null, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  // A random name, so that no one can have created a link with that name.
  const part = `${file}.${randomBytes(6).toString('hex')}${partEnding}`;
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 });
  try {
    await write(chunks, stream, signal);
    if (mode !== null) await chmod(part, mode & 0o777);
    await rename(part, file);
  } catch (error) {
    // A stream that is still opening would create the file later.
    if (!stream.closed) await once(stream.destroy(), 'close').catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function write(chunks: Chunks, stream: WriteStream, signal: AbortSignal | undefined): Promise<void> {
  await pipeline(Readable.from(chunks), stream, signal === undefined ? {} : { signal });
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

/** Writes files that only the user can read. `files`: texts by absolute path in `folder`, which is created. */
export async function writePrivate(folder: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = Object.entries(files);
  if (all.length === 0) return;
  await createPrivateFolder(folder);
  for (const [file, text] of all) await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
