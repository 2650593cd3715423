import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './layout.ts';

/** Errors on Windows while another process, such as a virus scanner, has the file open. */
const inUseCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const attempts = 10;
const firstWaitMs = 5;

/** Renames over an existing file. On Windows, retries for half a second if it is open. @throws file system errors */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (attempt === attempts || process.platform !== 'win32' || !inUseCodes.has(errorCode(error))) throw error;
      await delay(firstWaitMs * 2 ** Math.min(attempt, 4));
    }
  }
}
