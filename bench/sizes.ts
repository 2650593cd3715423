import { measureSizes } from '../test/support/package/sizes.ts';
import type { Row } from './harness.ts';

/** Bytes loaded at start, according to esbuild's metafile. zod, execa and the toolkit are loaded later. */
export function sizes(): Row[] {
  return measureSizes().map(({ entry, bytes, limit, files }) => ({
    name: `size: ${entry}`,
    value: bytes / 1000,
    unit: 'kB',
    goal: limit / 1000,
    detail: `${files.length} file${files.length === 1 ? '' : 's'}, minified, not compressed`,
  }));
}
