import { measureSizes } from '../test/support/package/sizes.ts';
import type { Row } from './harness.ts';

/** Bytes that load at once, from esbuild's own account of the bundles; zod, execa and the toolkit come later. */
export function sizes(): Row[] {
  return measureSizes().map(({ entry, bytes, limit, files }) => ({
    name: `size: ${entry}`,
    value: bytes / 1000,
    unit: 'kB',
    goal: limit / 1000,
    detail: `${files.length} file${files.length === 1 ? '' : 's'}, minified, not compressed`,
  }));
}
