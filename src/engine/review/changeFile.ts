import { lstat, mkdir, readFile, rm, rmdir, writeFile, chmod } from 'node:fs/promises';
import path from 'node:path';
import { isExecutable, withExecutable } from '../../model/files/fileMode.ts';
import { replaceFile } from '../acp/replaceFile.ts';
import { errorCode } from '../record/layout.ts';
import { hashOf } from './currentFile.ts';

/** What a file was before Vitrine changed it, and how to recognize it after. */
export type FileUndo = ContentUndo | ModeUndo;

interface ModeUndo {
  readonly place: string;
  /** Permissions. */
  readonly mode: number;
  readonly writtenMode: number;
}

interface ContentUndo {
  readonly place: string;
  /** `null`: there was no file. */
  readonly bytes: Uint8Array | null;
  /** Permissions; `null` if there was no file. */
  readonly mode: number | null;
  /** First folder that Vitrine created for the file. */
  readonly folder?: string | undefined;
  /** SHA-256 of what Vitrine wrote; `null`: it deleted the file. */
  readonly written: string | null;
}

/**
 * Gives a file a new text, or deletes it (`null`), if it is still the one with this hash (`null`: there was none). `mode`:
 * permissions of a file that comes back. Returns how to undo it, or `undefined` if the file changed meanwhile: then it stays as
 * it is. @throws file system errors
 */
export async function changeFile(
  place: string,
  expected: string | null,
  text: string | null,
  mode: number | null = null,
): Promise<ContentUndo | undefined> {
  return write(place, expected, text === null ? null : Buffer.from(text), mode);
}

/**
 * Makes a file executable or not. Returns how to undo that, or `undefined` if the file no longer has the opposite mode.
 * @throws file system errors
 */
export async function changeMode(place: string, executable: boolean): Promise<FileUndo | undefined> {
  const mode = await modeOf(place);
  if (mode === undefined || isExecutable(mode) === executable) return undefined;
  const writtenMode = withExecutable(mode, executable);
  await chmod(place, writtenMode);
  return { place, mode, writtenMode };
}

/** Permissions; `undefined`: there is no regular file. */
async function modeOf(place: string): Promise<number | undefined> {
  const found = await lstat(place).catch(() => undefined);
  return found?.isFile() === true ? found.mode & 0o7777 : undefined;
}

/** Restores every byte. `false` if the file changed since; then it stays as it is. @throws file system errors */
export async function undoChange(undo: FileUndo): Promise<boolean> {
  if ('writtenMode' in undo) {
    if ((await modeOf(undo.place)) !== undo.writtenMode) return false;
    await chmod(undo.place, undo.mode);
    return true;
  }
  const { place, bytes, mode, written, folder } = undo;
  const undone = await write(place, written, bytes === null ? null : Buffer.from(bytes), mode);
  if (undone !== undefined && bytes === null && folder !== undefined) await removeFolders(path.dirname(place), folder);
  return undone !== undefined;
}

/** Removes empty folders from `inner` up to `outer`. */
async function removeFolders(inner: string, outer: string): Promise<void> {
  for (let folder = inner; folder.startsWith(outer); folder = path.dirname(folder)) {
    // Something else is in it now.
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return;
  }
}

async function write(
  place: string,
  expected: string | null,
  bytes: Buffer | null,
  mode: number | null,
): Promise<ContentUndo | undefined> {
  const found = await lstat(place).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  });
  if (found !== null && !found.isFile()) return undefined;
  const before = found === null ? null : await readFile(place);
  if ((before === null ? null : hashOf(before)) !== expected) return undefined;
  let folder: string | undefined;
  if (bytes === null) await rm(place);
  else if (found === null) {
    folder = await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, bytes, { flag: 'wx', mode: mode ?? 0o666 });
    // The system may have masked it.
    if (mode !== null) await chmod(place, mode);
  } else await replaceFile(place, found, bytes);
  return {
    place,
    bytes: before,
    mode: found === null ? null : found.mode & 0o7777,
    folder,
    written: bytes === null ? null : hashOf(bytes),
  };
}
