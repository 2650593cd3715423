import { lstat, mkdir, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../acp/replaceFile.ts';
import { errorCode } from '../record/layout.ts';
import { hashOf } from './currentFile.ts';

/** What a file was before Vitrine changed it, and how to recognize it after. */
export interface FileUndo {
  readonly place: string;
  /** `null`: there was no file. */
  readonly bytes: Uint8Array | null;
  /** Permissions. */
  readonly mode: number;
  /** SHA-256 of what Vitrine wrote; `null`: it deleted the file. */
  readonly written: string | null;
}

/**
 * Gives a file a new text, or deletes it (`null`), if it is still the one with this hash (`null`: there was none). Returns how
 * to undo it, or `undefined` if the file changed meanwhile: then it stays as it is. @throws file system errors
 */
export async function changeFile(
  place: string,
  expected: string | null,
  text: string | null,
): Promise<FileUndo | undefined> {
  return write(place, expected, text === null ? null : Buffer.from(text), 0o666);
}

/** Restores every byte. `false` if the file changed since; then it stays as it is. @throws file system errors */
export async function undoChange({ place, bytes, mode, written }: FileUndo): Promise<boolean> {
  return (await write(place, written, bytes === null ? null : Buffer.from(bytes), mode)) !== undefined;
}

async function write(
  place: string,
  expected: string | null,
  bytes: Buffer | null,
  mode: number,
): Promise<FileUndo | undefined> {
  const found = await lstat(place).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  });
  if (found !== null && !found.isFile()) return undefined;
  const before = found === null ? null : await readFile(place);
  if ((before === null ? null : hashOf(before)) !== expected) return undefined;
  if (bytes === null) await rm(place);
  else if (found === null) {
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, bytes, { flag: 'wx', mode });
    if (mode !== 0o666) await chmod(place, mode);
  } else await replaceFile(place, found, bytes);
  return {
    place,
    bytes: before,
    mode: found === null ? 0o666 : found.mode & 0o7777,
    written: bytes === null ? null : hashOf(bytes),
  };
}
