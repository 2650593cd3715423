import path from 'node:path';
import Mocha from 'mocha';
import { collectResults, notLoadedResult, type SuiteResult } from './results.ts';

/**
 * Runs test files in this process. A failure to load them counts as one failure. A test that fails is repeated up to
 * `retries` times, and a suite with a failed hook once; what then passes is listed as unsteady.
 */
export async function runFiles(
  files: readonly string[],
  {
    timeout,
    grep,
    color,
    retries = 0,
  }: { timeout: number; grep?: string | undefined; color?: boolean; retries?: number },
): Promise<SuiteResult> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout,
    retries,
    ...(color === true && { color }),
    ...(grep !== undefined && grep !== '' && { grep }),
  });
  for (const file of files) mocha.addFile(path.resolve(file));
  forbidOwnGroup();
  return mocha.loadFilesAsync().then(() => collectResults(mocha, retries > 0), notLoadedResult);
}

/** A test that reads a pid from a file that is still empty gets 0, and would kill its own suite without a result. */
function forbidOwnGroup(): void {
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (pid === 0) throw new Error('a test sends a signal to pid 0, which is the process group of its suite');
    return kill(pid, signal);
  };
}

/** `retries` of suites that start other programs: none with `VITRINE_STRICT=1`, which finds unsteady tests. */
export function secondAttempts(): number {
  return process.env['VITRINE_STRICT'] === '1' ? 0 : 1;
}
