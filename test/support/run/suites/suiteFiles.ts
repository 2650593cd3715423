import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../host/install/cache.mjs';

/** A suite's test files, relative to its folder and as bundled (.js). Ignores stale bundles. */
export function suiteFiles(suite: string): string[] {
  const folder = path.join(repository, 'test', suite);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.replace(/\.ts$/, '.js'))
    .sort();
}
