import { lstat, readlink } from 'node:fs/promises';
import type { LinkReader } from '../../text/fileAccess.ts';

/** Reads links of the file system of this machine, following none. */
export const linkReader: LinkReader = {
  async lstat(path) {
    const stats = await lstat(path).catch(() => null);
    if (stats === null) return 'missing';
    return stats.isSymbolicLink() ? 'link' : 'other';
  },
  readlink: (path) => readlink(path),
};
