import { constants, statSync } from 'node:fs';
import { lstat, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';
import type { StoreRoot } from '../../agents/stores/storeFormat.ts';
import { Pace } from '../pace.ts';
import { LineSplitter, type SplitLine } from '../output/lineSplitter.ts';

/** A file of a store at the time of the scan. */
export interface StoreFile {
  readonly path: string;
  /** Relative to the root, with `/`. */
  readonly relative: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** An unreadable file or folder in a store, with the reason. */
export interface StoreProblem {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFiles {
  readonly files: readonly StoreFile[];
  /** Scanned folders, including the root. */
  readonly folders: readonly string[];
  readonly problems: readonly StoreProblem[];
}

/** Maximum number of files per store. */
const maxFiles = 500_000;
const chunkBytes = 256 * 1024;
/** Chunks to use again: with thousands of files, new ones would fill the memory before the next garbage collection. */
const spareChunks: Buffer[] = [];
const maxSpareChunks = 8;

/**
 * Finds files below a root whose path `wanted` accepts. Follows links, but visits each folder once. Opens folders only.
 * `below`: limits the scan to this subfolder (a relative path with `/`).
 */
export async function findFiles(
  root: StoreRoot,
  wanted: (relative: string) => boolean,
  below = '',
): Promise<FoundFiles> {
  const files: StoreFile[] = [];
  const folders: string[] = [];
  const problems: StoreProblem[] = [];
  const seen = new Set<string>();
  const pace = new Pace();
  const visit = async (folder: string, relative: string, depth: number): Promise<void> => {
    try {
      const { dev, ino } = await stat(folder);
      const identity = `${dev}:${ino}`;
      if (ino !== 0 && seen.has(identity)) return;
      seen.add(identity);
      folders.push(folder);
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (files.length >= maxFiles) return;
        await pace.step();
        const below = relative === '' ? entry.name : `${relative}/${entry.name}`;
        const full = path.join(folder, entry.name);
        const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(full)));
        if (isFolder && depth > 1) await visit(full, below, depth - 1);
        if (!wanted(below)) continue;
        const found = isFolder ? undefined : statFile(full, below);
        if (found !== undefined) files.push(found);
        else {
          const reason = await reasonOfNoFile(full);
          if (reason !== null) problems.push({ path: full, reason });
        }
      }
    } catch (error) {
      if (!isMissing(error)) problems.push({ path: folder, reason: reasonOf(error) });
    }
  };
  const depth = root.depth - (below === '' ? 0 : below.split('/').length);
  if (depth > 0) await visit(path.join(root.path, below), below, depth);
  return { files, folders, problems };
}

async function leadsToFolder(link: string): Promise<boolean> {
  return stat(link).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** As `fileAt`. For thousands of files: a promise for each would take twenty times as long. */
function statFile(full: string, relative: string): StoreFile | undefined {
  try {
    const found = statSync(full);
    return found.isFile() ? { path: full, relative, size: found.size, mtimeMs: found.mtimeMs } : undefined;
  } catch {
    // Deleted meanwhile, or a broken link.
    return undefined;
  }
}

/** `undefined` if there is no file. */
export async function fileAt(full: string, relative: string): Promise<StoreFile | undefined> {
  try {
    const found = await stat(full);
    return found.isFile() ? { path: full, relative, size: found.size, mtimeMs: found.mtimeMs } : undefined;
  } catch {
    // Deleted meanwhile, or a broken link.
    return undefined;
  }
}

/** Why a path is not a file; `null` if it is a file or does not exist. */
export async function reasonOfNoFile(full: string): Promise<string | null> {
  try {
    const found = await stat(full);
    if (found.isFile()) return null;
    return found.isDirectory() ? 'A folder with the name of a session file.' : 'Not a file.';
  } catch (error) {
    if (!isMissing(error)) return reasonOf(error);
    return lstat(full).then(
      () => 'A link to a file that does not exist.',
      () => null,
    );
  }
}

/** Read-only, and without blocking on a pipe. */
async function openRead(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK));
}

/** At most `length` bytes, starting at `from`. */
export async function readBytes(file: string, from: number, length: number): Promise<Buffer> {
  const handle = await openRead(file);
  try {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(buffer, 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Lines of a file in batches, starting at byte `from`. Keeps only one line and one chunk in memory. */
export async function* linesOf(file: string, from = 0): AsyncGenerator<readonly SplitLine[]> {
  const splitter = new LineSplitter();
  for await (const chunk of file.endsWith('.zst') ? unpackedChunks(file) : chunksOf(file, from))
    yield splitter.push(chunk);
  yield splitter.end();
}

/** Bytes from `from` to the end; each chunk is valid until the next one is requested. */
export async function* chunksOf(file: string, from = 0): AsyncGenerator<Uint8Array> {
  const handle = await openRead(file);
  try {
    let at = from;
    const { size } = await handle.stat();
    const isLarge = size - at >= chunkBytes;
    const buffer =
      (isLarge ? spareChunks.pop() : undefined) ?? Buffer.allocUnsafe(isLarge ? chunkBytes : Math.max(1, size - at));
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      if (isLarge && spareChunks.length < maxSpareChunks) spareChunks.push(buffer);
    }
  } finally {
    await handle.close();
  }
}

/** @throws Error if the runtime cannot decompress it */
async function* unpackedChunks(file: string): AsyncGenerator<Uint8Array> {
  if (!('createZstdDecompress' in zlib)) throw new Error('This runtime cannot decompress Zstandard files.');
  const unpacking = zlib.createZstdDecompress();
  const feeding = (async () => {
    try {
      for await (const chunk of chunksOf(file)) {
        if (!unpacking.write(Buffer.from(chunk))) await new Promise((resolve) => unpacking.once('drain', resolve));
      }
      unpacking.end();
    } catch (error) {
      unpacking.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  for await (const chunk of unpacking) if (chunk instanceof Uint8Array) yield chunk;
  await feeding;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** For display beside the path, which is left out. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return 'No permission to read it.';
  if (code === 'ELOOP') return 'The links form a loop.';
  return error instanceof Error ? error.message : String(error);
}
