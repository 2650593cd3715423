import { stat, lstat, readlink } from 'node:fs/promises';
import type { LinkReader } from '../../text/fileAccess.ts';

/** A folder of sessions; `null` for sessions without one. */
export interface SessionFolder<S> {
  readonly folder: string | null;
  readonly sessions: readonly S[];
  /** The folder does not exist on this machine. */
  readonly isMissing: boolean;
}

/** Missing folders first, then by number of sessions. */
export async function sessionFolders<S extends { readonly project_dir?: string | undefined }>(
  sessions: readonly S[],
): Promise<readonly SessionFolder<S>[]> {
  const groups = new Map<string | null, S[]>();
  for (const session of sessions) {
    const folder = session.project_dir ?? null;
    const group = groups.get(folder);
    if (group === undefined) groups.set(folder, [session]);
    else group.push(session);
  }
  const found = [...groups].map(async ([folder, group]) => {
    return { folder, sessions: group, isMissing: folder !== null && (await isMissing(folder)) };
  });
  return (await Promise.all(found)).sort(
    (a, b) => +b.isMissing - +a.isMissing || b.sessions.length - a.sessions.length,
  );
}

/** True only if the folder does not exist, not if it cannot be accessed. */
async function isMissing(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}

/** Reads links of this machine's file system without following them. */
export const linkReader: LinkReader = {
  async lstat(path) {
    const stats = await lstat(path).catch(() => null);
    if (stats === null) return 'missing';
    return stats.isSymbolicLink() ? 'link' : 'other';
  },
  readlink: (path) => readlink(path),
};
