import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { repository, run } from '../host/install/cache.mjs';
import { node24 } from '../host/install/node24.mjs';

/** Packages the build into the file `out`, relative to the repository. */
export async function packageExtension(out: string): Promise<void> {
  mkdirSync(path.dirname(path.resolve(repository, out)), { recursive: true });
  const vsce = path.join(repository, 'node_modules/@vscode/vsce/vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--out', out];
  await run(node24, [vsce, 'package', ...flags], { cwd: repository });
}
