/** Builds everything and runs bench/main.ts from its bundle. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../host/install/cache.mjs';
import { buildProduct, buildTests } from './build.ts';

process.chdir(repository);
await Promise.all([buildTests(['bench']), buildProduct()]);
await import(pathToFileURL(path.resolve('dist/bench/main.js')).href);
