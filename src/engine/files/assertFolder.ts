import { stat } from 'node:fs/promises';
import { failures } from '../failures/failures.ts';

/** @throws EngineFailure where there is no such folder */
export async function assertFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw failures.directoryMissing(folder);
}
