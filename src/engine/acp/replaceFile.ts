import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { partEnding } from '../files/writeFiles.ts';

/** The system does not allow creating or renaming a file here, but may allow writing to the existing one. */
const fallbackCodes: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ENAMETOOLONG']);

/**
 * Replaces the content of a file atomically where possible. `found`: the existing file, `null` for a new one. `place`:
 * real path. Keeps permissions, owner and hard links.
 * @throws file system errors
 */
export async function replaceFile(place: string, found: Stats | null, bytes: Buffer): Promise<void> {
  if (found === null) {
    await writeTemporary(place, null, bytes);
    return;
  }
  // A writable folder may hold a read-only file.
  await access(place, constants.W_OK);
  if (found.nlink > 1) {
    await overwrite(place, bytes);
    return;
  }
  try {
    await writeTemporary(place, found, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && fallbackCodes.has(error.code))) throw error;
    await overwrite(place, bytes);
  }
}

async function writeTemporary(place: string, found: Stats | null, bytes: Buffer): Promise<void> {
  const part = path.join(path.dirname(place), `.${randomBytes(8).toString('hex')}${partEnding}`);
  try {
    const handle = await open(part, 'wx', 0o666);
    try {
      await handle.writeFile(bytes);
      if (found !== null) await keepOwner(handle, found);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, place);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function keepOwner(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
  if ((own.mode & 0o7777) !== (mode & 0o7777)) await handle.chmod(mode & 0o7777);
}

/** Writes the part that needs more space first, so that a full disk is detected while the old content still exists. */
async function overwrite(place: string, bytes: Buffer): Promise<void> {
  const handle = await open(place, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    const saved = Math.min(size, bytes.length);
    try {
      await writeAll(handle, bytes.subarray(saved), size);
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
    await writeAll(handle, bytes.subarray(0, saved), 0);
    await handle.truncate(bytes.length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, from + done)).bytesWritten;
  }
}
