import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isExecutable } from '../../model/files/fileMode.ts';
import { decideFileAccess } from '../../text/fileAccess.ts';
import { linkReader } from '../folders/sessionFolders.ts';
import { errorCode } from '../record/layout.ts';

/** Bytes of a file that is reviewed. */
const maxFileBytes = 4 * 1024 * 1024;

interface FoundFile {
  /** Absolute path. */
  readonly place: string;
  readonly executable: boolean;
}

/** The current state of a file. `hash` shows whether it changed since. */
export type CurrentFile =
  | (FoundFile & { readonly state: 'text'; readonly text: string; readonly hash: string })
  | { readonly state: 'missing'; readonly place: string; readonly hash: null }
  | (FoundFile & { readonly state: 'tooLarge' | 'binary' })
  /** Not in the session's folder, or no regular file. */
  | { readonly state: 'outside' | 'unreadable' };

/** Reads a regular file in `folder`, and follows no link that leads out of it. */
export async function readCurrent(folder: string, name: string): Promise<CurrentFile> {
  const system = { ...linkReader, isWindows: process.platform === 'win32', folders: [folder] };
  const access = await decideFileAccess(folder, name, system);
  if (access.kind !== 'open') return { state: 'outside' };
  const place = access.path;
  try {
    // A pipe must not make this wait.
    const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { state: 'unreadable' };
      const found = { place, executable: isExecutable(stat.mode) };
      if (stat.size > maxFileBytes) return { ...found, state: 'tooLarge' };
      const bytes = await file.readFile();
      const text = decode(bytes);
      return text === undefined
        ? { ...found, state: 'binary' }
        : { ...found, state: 'text', text, hash: hashOf(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error))
      ? { state: 'missing', place, hash: null }
      : { state: 'unreadable' };
  }
}

/** Only what can be written back as it was. */
function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
