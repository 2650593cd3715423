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

/** What is being written stands beside its place under a name with this ending; a process that was killed leaves it there. */
export const partEnding = '.part';

/**
 * Writes a file that only the user can read, or with the permissions of an existing file, which stays until the new one is
 * complete. For a link, its target is replaced. A pipe or terminal gets the chunks directly.
 * @throws EngineFailure where it cannot be written; what the chunks throw; an AbortError where the signal ends it
 */
export async function writeWhole(file: string, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  try {
    const there = await stat(file).catch(missing);
    if (there === null) await replace(file, null, chunks, signal);
    else if (there.isFile()) await replace(await realpath(file), there.mode, chunks, signal);
    else await write(chunks, createWriteStream(file), signal);
  } catch (error) {
    const isSystem = error instanceof Error && 'syscall' in error;
    throw isSystem && !EngineFailure.is(error) ? failures.fileUnwritable(file, error.message) : error;
  }
}

async function replace(file: string, mode: number | null, chunks: Chunks, signal?: AbortSignal): Promise<void> {
  // A name that no one can have put a link under.
  const part = `${file}.${randomBytes(6).toString('hex')}${partEnding}`;
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 });
  try {
    await write(chunks, stream, signal);
    if (mode !== null) await chmod(part, mode & 0o777);
    await rename(part, file);
  } catch (error) {
    // It may be being opened still, and is made then.
    if (!stream.closed) await once(stream.destroy(), 'close').catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function write(chunks: Chunks, stream: WriteStream, signal: AbortSignal | undefined): Promise<void> {
  await pipeline(Readable.from(chunks), stream, signal === undefined ? {} : { signal });
}

function missing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

/** Files that an agent reads and no one else may: texts by absolute path in `folder`, which is made for them. */
export async function writePrivate(folder: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = Object.entries(files);
  if (all.length === 0) return;
  await createPrivateFolder(folder);
  for (const [file, text] of all) await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
