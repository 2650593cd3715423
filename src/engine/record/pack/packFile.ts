import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib';
import { errorCode } from '../layout.ts';

const packedEnding = '.gz';
const trailerBytes = 4;
/** Size of an empty gzip file. */
const leastBytes = 18;
const leastHeaderBytes = 10;
const maxHeaderBytes = 1024;

/** Result if there was nothing to pack. */
export const nothingPacked: PackedFile = { files: 0, bytes: 0, packed: 0 };

/** Result of packing: number of files, bytes before and after. */
export interface PackedFile {
  readonly files: number;
  readonly bytes: number;
  readonly packed: number;
}

/** Compresses the output of a session's runs, file by file. @throws file system errors */
export async function packRuns(folder: string): Promise<PackedFile> {
  let all = nothingPacked;
  for (const file of await filesOf(folder)) {
    if (file.endsWith(packedEnding)) continue;
    const { bytes, packed } = await packFile(file);
    all = { files: all.files + 1, bytes: all.bytes + bytes, packed: all.packed + packed };
  }
  return all;
}

/** Whether all files are packed. */
export async function arePacked(folder: string): Promise<boolean> {
  return (await filesOf(folder)).every((file) => file.endsWith(packedEnding));
}

/** Unpacks all files. @throws file system errors, Error if a packed file is damaged */
export async function unpackRuns(folder: string): Promise<void> {
  for (const file of await filesOf(folder)) {
    if (file.endsWith(packedEnding)) await unpackFile(file.slice(0, -packedEnding.length));
  }
}

/** Compresses one file, and deletes the original after a read-back check. @throws file system errors */
export async function packFile(file: string): Promise<PackedFile> {
  const part = `${packedForm(file)}.part`;
  try {
    const { size: bytes, atime, mtime } = await stat(file);
    await pipeline(createReadStream(file), createGzip(), createWriteStream(part, { mode: 0o600 }));
    await settle(part, atime, mtime);
    if ((await hashOf(bytesOfPacked(part))) !== (await hashOf(createReadStream(file)))) {
      throw new Error(`The compressed copy of ${file} does not match.`);
    }
    const { size: packed } = await stat(part);
    await rename(part, packedForm(file));
    await rm(file);
    return { files: 1, bytes, packed };
  } finally {
    await rm(part, { force: true });
  }
}

/** Unpacks one file. @throws file system errors, Error if it is damaged */
export async function unpackFile(file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    const { atime, mtime } = await stat(packedForm(file));
    await pipeline(bytesOfPacked(packedForm(file)), createWriteStream(part, { mode: 0o600 }));
    await settle(part, atime, mtime);
    await rename(part, file);
    await rm(packedForm(file));
  } finally {
    await rm(part, { force: true });
  }
}

/** Sets the times of the original file and flushes to disk. */
async function settle(file: string, atime: Date, mtime: Date): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.utimes(atime, mtime);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function packedForm(file: string): string {
  return `${file}${packedEnding}`;
}

/** A file opened for reading. `isDamaged`: it is packed, and its content is incomplete. */
export interface UnpackedFile {
  readonly handle: FileHandle;
  readonly isPacked: boolean;
  readonly isDamaged: boolean;
}

/** As `openUnpackedFile`, but returns only the handle. @throws as `openUnpackedFile` */
export async function openUnpacked(file: string): Promise<FileHandle> {
  return (await openUnpackedFile(file)).handle;
}

/** Unless the content consists of lines, an undamaged file keeps its unfinished last line. */
interface UnpackOptions {
  readonly endsAtLines?: boolean;
}

/**
 * Opens a file, or an unnamed temporary copy of its packed content. A path with `.gz` is a packed file itself. A
 * truncated or damaged file yields what can be read, at least one line.
 * @throws file system errors, Error if nothing can be read
 */
export async function openUnpackedFile(
  file: string,
  { endsAtLines = true }: UnpackOptions = {},
): Promise<UnpackedFile> {
  if (file.endsWith(packedEnding)) return await openUnnamed(file, endsAtLines);
  try {
    return { handle: await open(file, 'r'), isPacked: false, isDamaged: false };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || !(await fileExists(packedForm(file)))) throw error;
    return await openUnnamed(packedForm(file), endsAtLines);
  }
}

async function openUnnamed(packed: string, inLines: boolean): Promise<UnpackedFile> {
  const { atime, mtime } = await stat(packed);
  const name = `.vitrine-${randomUUID()}`;
  const copy = await open(path.join(path.dirname(packed), name), 'wx+', 0o600).catch(() => null);
  const folder = copy === null ? tmpdir() : path.dirname(packed);
  const handle = copy ?? (await open(path.join(folder, name), 'wx+', 0o600));
  try {
    await unlink(path.join(folder, name));
    let isEmpty = true;
    let hasLine = false;
    let isDamaged = false;
    for await (const chunk of readableOf(packed, () => (isDamaged = true))) {
      isEmpty = false;
      hasLine ||= chunk.includes('\n');
      await handle.appendFile(chunk);
    }
    const needsLine = inLines || isEmpty || isDamaged;
    if (needsLine && !hasLine) throw damagedError(packed, 'it contains no complete line');
    await handle.utimes(atime, mtime);
    return { handle, isPacked: true, isDamaged };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether a packed file is truncated: its trailer has the full size. @throws file system errors */
export async function isCutOff(file: string, bytes: number): Promise<boolean> {
  return (await fileExists(file)) ? false : (await rawSize(file)) !== bytes % 2 ** 32;
}

/** Bytes of a run's file, packed or not; `null` if there is none. @throws file system errors */
export async function rawBytes(file: string): Promise<AsyncIterable<Buffer> | null> {
  const exists = await fileExists(file);
  if (exists) return createReadStream(file, { highWaterMark: 256 * 1024 });
  return (await fileExists(packedForm(file))) ? readableOf(packedForm(file)) : null;
}

/** Size in bytes, 0 if there is none. For packed files from the trailer, which is modulo 4 GiB. */
export async function rawSize(file: string): Promise<number> {
  const stats = await stat(file).catch(nullIfMissing);
  if (stats !== null) return stats.size;
  const handle = await open(packedForm(file), 'r').catch(nullIfMissing);
  if (handle === null) return 0;
  try {
    const { size } = await handle.stat();
    if (size < leastBytes) return 0;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(trailerBytes), 0, trailerBytes, size - trailerBytes);
    return bytesRead === trailerBytes ? buffer.readUInt32LE(0) : 0;
  } finally {
    await handle.close();
  }
}

/** @throws file system errors, Error if it is truncated or damaged */
async function* bytesOfPacked(file: string): AsyncGenerator<Buffer> {
  try {
    yield* unzip(createReadStream(file), createGunzip({ chunkSize: 256 * 1024 }));
  } catch (error) {
    if (!isOfZip(error)) throw error;
    throw damagedError(file, error instanceof Error ? error.message : String(error));
  }
}

/** Readable content of a packed file. `onDamage` is not called if only the end is missing. */
async function* readableOf(file: string, onDamage?: () => void): AsyncGenerator<Buffer> {
  const finishFlush = constants.Z_SYNC_FLUSH;
  let readBytes = 0;
  try {
    for await (const chunk of unzip(createReadStream(file), createGunzip({ chunkSize: 256 * 1024, finishFlush }))) {
      readBytes += chunk.length;
      yield chunk;
    }
    return;
  } catch (error) {
    if (!isOfZip(error)) throw error;
    onDamage?.();
  }
  // Damage costs the whole chunk, so retry with small ones, without the checksum.
  const smallBuffers = { chunkSize: 4096, readableHighWaterMark: 4096, finishFlush };
  const source = createReadStream(file, { start: await headerSize(file), highWaterMark: 256 });
  try {
    for await (const chunk of unzip(source, createInflateRaw(smallBuffers))) {
      if (readBytes < chunk.length) yield chunk.subarray(readBytes);
      readBytes = Math.max(0, readBytes - chunk.length);
    }
  } catch (error) {
    if (!isOfZip(error)) throw error;
  }
}

async function* unzip(source: ReadStream, unzip: Gunzip | InflateRaw): AsyncGenerator<Buffer> {
  source.on('error', (error) => unzip.destroy(error));
  try {
    for await (const chunk of source.pipe(unzip)) if (Buffer.isBuffer(chunk)) yield chunk;
  } finally {
    source.destroy();
    unzip.destroy();
  }
}

function isOfZip(error: unknown): boolean {
  return errorCode(error).startsWith('Z_');
}

/** Size of the gzip header. Vitrine's has no file name, that of `gzip` has one. */
async function headerSize(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0);
    const hasName = bytesRead > leastHeaderBytes && ((buffer[3] ?? 0) & 8) !== 0;
    return hasName ? buffer.indexOf(0, leastHeaderBytes) + 1 : leastHeaderBytes;
  } finally {
    await handle.close();
  }
}

function damagedError(file: string, why: string): Error {
  return new Error(`${file} is damaged: ${why}. \`gzip -dc\` prints the readable part.`);
}

async function hashOf(bytes: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) if (Buffer.isBuffer(chunk)) hash.update(chunk);
  return hash.digest('hex');
}

async function filesOf(folder: string): Promise<string[]> {
  const runs = path.join(folder, 'runs');
  const found = await readdir(runs, { withFileTypes: true }).catch(nullIfMissing);
  const files = (found ?? []).filter((file) => file.isFile() && /^run_[0-9a-f]{12}\.[a-z]+(?:\.gz)?$/.test(file.name));
  return files.map(({ name }) => path.join(runs, name));
}

async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(nullIfMissing))?.isFile() === true;
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
