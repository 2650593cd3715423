import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './install/cache.mjs';

/** The folder of the sample extension, which is built as tests are; VS Code wants its manifest beside it. */
export function sampleExtension(): string {
  const built = path.join(repository, 'dist/docs/examples/sample-extension');
  copyFileSync(path.join(repository, 'docs/examples/sample-extension/package.json'), path.join(built, 'package.json'));
  return built;
}
