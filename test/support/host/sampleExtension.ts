import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './install/cache.mjs';

/** Folder of the sample extension, built like the tests, with its manifest. */
export function sampleExtension(): string {
  const built = path.join(repository, 'dist/docs/examples/sample-extension');
  copyFileSync(path.join(repository, 'docs/examples/sample-extension/package.json'), path.join(built, 'package.json'));
  return built;
}
