import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { errorCode } from './layout.ts';

const packedEnding = '.gz';
const trailerBytes = 4;

/** What packing came to: bytes before and after, of so many files. */
export interface Packed {
  readonly files: number;
  readonly bytes: number;
  readonly packed: number;
}

/**
 * Zips the output of a session's runs, each file by itself. A file goes when its packed form is on disk and gives the same
 * bytes again. The record itself stays as it is. @throws file system errors
 */
export async function packRuns(folder: string): Promise<Packed> {
  let [files, bytes, packed] = [0, 0, 0];
  for (const file of await filesOf(folder)) {
    if (file.endsWith(packedEnding)) continue;
    const part = `${file}${packedEnding}.part`;
    try {
      const { size } = await stat(file);
      await pipeline(createReadStream(file), createGzip(), createWriteStream(part, { mode: 0o600 }));
      const handle = await open(part, 'r');
      await handle.sync().finally(() => handle.close());
      if ((await hashOf(bytesOfPacked(part))) !== (await hashOf(createReadStream(file)))) {
        throw new Error(`${file} did not come back as it was.`);
      }
      packed += (await stat(part)).size;
      await rename(part, `${file}${packedEnding}`);
      await rm(file);
      files += 1;
      bytes += size;
    } finally {
      await rm(part, { force: true });
    }
  }
  return { files, bytes, packed };
}

/** Puts what was packed back as it was. @throws file system errors, Error where a packed file is damaged */
export async function unpackRuns(folder: string): Promise<void> {
  for (const file of await filesOf(folder)) {
    if (!file.endsWith(packedEnding)) continue;
    const whole = file.slice(0, -packedEnding.length);
    const part = `${whole}.part`;
    try {
      await pipeline(createReadStream(file), createGunzip(), createWriteStream(part, { mode: 0o600 }));
      await rename(part, whole);
      await rm(file);
    } finally {
      await rm(part, { force: true });
    }
  }
}

/** A file of a run as it was printed, packed or not; `null` where there is none. @throws file system errors */
export async function rawBytes(file: string): Promise<AsyncIterable<Buffer> | null> {
  const there = await isThere(file);
  if (there) return createReadStream(file, { highWaterMark: 256 * 1024 });
  return (await isThere(`${file}${packedEnding}`)) ? bytesOfPacked(`${file}${packedEnding}`) : null;
}

/** Bytes of that, 0 where there is none. Of a packed file as its end says, which counts to 4 GiB. */
export async function rawSize(file: string): Promise<number> {
  const there = await stat(file).catch(none);
  if (there !== null) return there.size;
  const handle = await open(`${file}${packedEnding}`, 'r').catch(none);
  if (handle === null) return 0;
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(trailerBytes), 0, trailerBytes, size - trailerBytes);
    return bytesRead === trailerBytes ? buffer.readUInt32LE(0) : 0;
  } finally {
    await handle.close();
  }
}

async function* bytesOfPacked(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  const source = createReadStream(file);
  source.on('error', (error) => unpacked.destroy(error));
  for await (const chunk of source.pipe(unpacked)) if (Buffer.isBuffer(chunk)) yield chunk;
}

async function hashOf(bytes: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) if (Buffer.isBuffer(chunk)) hash.update(chunk);
  return hash.digest('hex');
}

async function filesOf(folder: string): Promise<string[]> {
  const runs = path.join(folder, 'runs');
  const found = await readdir(runs, { withFileTypes: true }).catch(none);
  const files = (found ?? []).filter((each) => each.isFile() && /^run_[0-9a-f]{12}\.[a-z]+(?:\.gz)?$/.test(each.name));
  return files.map(({ name }) => path.join(runs, name));
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(none))?.isFile() === true;
}

function none(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
