import path from 'node:path';
import { repository, run } from '../host/install/cache.mjs';

const script = path.join(repository, 'esbuild.mjs');

/** The bundles of the suites' tests, each on its file's path under dist/test. */
export async function buildTests(suites: readonly string[]): Promise<void> {
  await run(process.execPath, [script, '--tests', ...suites], { cwd: repository });
}

/** What is shipped: the extension, the CLI and the page. */
export async function buildProduct(): Promise<void> {
  await run(process.execPath, [script, '--production'], { cwd: repository });
}
