import path from 'node:path';
import Mocha from 'mocha';
import { collect, notLoaded, type SuiteResult } from './results.ts';

/** Runs test files in this process. A failure to load them counts as one failure. */
export async function runFiles(
  files: readonly string[],
  { timeout, grep, color }: { timeout: number; grep?: string | undefined; color?: boolean },
): Promise<SuiteResult> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout,
    ...(color === true && { color }),
    ...(grep !== undefined && grep !== '' && { grep }),
  });
  for (const file of files) mocha.addFile(path.resolve(file));
  return mocha.loadFilesAsync().then(() => collect(mocha), notLoaded);
}
