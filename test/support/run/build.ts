import path from 'node:path';
import { repository, run } from '../host/cache.mjs';

const script = path.join(repository, 'esbuild.mjs');

/** The tests' bundles, each on its file's path under dist/test. */
export async function buildTests(): Promise<void> {
  await run(process.execPath, [script, '--tests'], { cwd: repository });
}

/** What is shipped: the extension, the CLI and the page. */
export async function buildProduct(): Promise<void> {
  await run(process.execPath, [script, '--production'], { cwd: repository });
}
