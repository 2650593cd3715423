/** `npm run package`: a clean production build, size checks, and vitrine-<version>.vsix at the repository's root. */
import { readFileSync, statSync } from 'node:fs';
import { repository, run } from '../host/install/cache.mjs';
import { checkSizes } from './sizes.ts';
import { packageExtension } from './vsix.ts';

process.chdir(repository);
await run(process.execPath, ['esbuild.mjs', '--production', '--clean']);
const problems = checkSizes();
if (problems.length > 0) throw new Error(problems.join('\n'));

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
const file = `${name}-${version}.vsix`;
await packageExtension(file);
console.log(`${file}: ${(statSync(file).size / 1000).toFixed(0)} kB`);
