import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../record/layout.ts';

/** Whether the folder of a record is gone: one that is not listed may be unreadable for a moment, or with it the whole store. */
export async function isDeleted(recordPath: string): Promise<boolean> {
  const folder = path.dirname(recordPath);
  return !(await isThere(folder)) && isThere(path.dirname(folder));
}

function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
}
