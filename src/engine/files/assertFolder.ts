import { stat } from 'node:fs/promises';
import { failures } from '../failures/failures.ts';

/** @throws EngineFailure if the folder does not exist */
export async function assertFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw failures.directoryMissing(folder);
}
