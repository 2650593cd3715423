import path from 'node:path';
import { repository, run } from '../host/install/cache.mjs';

const script = path.join(repository, 'esbuild.mjs');

/** Bundles the tests of suites to dist/test, with the same relative paths. */
export async function buildTests(suites: readonly string[]): Promise<void> {
  await run(process.execPath, [script, '--tests', ...suites], { cwd: repository });
}

/** Builds the product: extension, CLI and page. */
export async function buildProduct(): Promise<void> {
  await run(process.execPath, [script, '--production'], { cwd: repository });
}
