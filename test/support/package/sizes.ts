/** Checks the sizes of the bundles: what loads at start counts, what `import()` loads later does not. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { repository } from '../host/install/cache.mjs';

const budgets = [
  // Each file takes time of its own to load, so the build merges those of the extension.
  { build: 'host', entry: 'dist/extension.js', limit: 250_000, maxFiles: 3, without: ['zod', 'execa'] },
  { build: 'page', entry: 'dist/webview/main.js', limit: 270_000, maxFiles: 20, without: ['zod'] },
];

/** The entry and its static imports, by file name. */
function eagerFiles({ outputs }: Metafile, entry: string): string[] {
  const files = new Set([entry]);
  for (const file of files) {
    const imports = outputs[file]?.imports ?? [];
    for (const { path: target, kind } of imports)
      if (kind === 'import-statement' && target in outputs) files.add(target);
  }
  return [...files];
}

function packagesIn({ outputs }: Metafile, files: string[]): Set<string> {
  const inputs = files.flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}));
  const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => input);
  return new Set(bundled.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? ''));
}

/** Size at start and limit of an entry, in bytes. */
interface Size {
  readonly entry: string;
  readonly limit: number;
  readonly maxFiles: number;
  readonly bytes: number;
  readonly files: readonly string[];
  /** Packages that load at start but must not. */
  readonly early: readonly string[];
}

/** Sizes of the last build. */
export function measureSizes(): Size[] {
  return budgets.map(({ build, entry, limit, maxFiles, without }) => {
    const metafile = JSON.parse(readFileSync(path.join(repository, `dist/meta/${build}.json`), 'utf8')) as Metafile;
    const files = eagerFiles(metafile, entry);
    const bytes = files.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
    const packages = packagesIn(metafile, files);
    return { entry, limit, maxFiles, bytes, files, early: without.filter((name) => packages.has(name)) };
  });
}

/** Of an exported page, without the session in it. */
const exportedLimit = 400_000;

/** Problems as sentences; empty if all is well. Prints the sizes. */
export function checkSizes(): string[] {
  const { size } = statSync(path.join(repository, 'dist/webview/exported.html'));
  console.log(`an exported page without its session: ${(size / 1000).toFixed(1)} of ${exportedLimit / 1000} kB`);
  const exported = size > exportedLimit ? [`an exported page has ${size} bytes; the budget is ${exportedLimit}`] : [];
  return [...exported, ...bundleProblems()];
}

function bundleProblems(): string[] {
  return measureSizes().flatMap(({ entry, limit, maxFiles, bytes, files, early }) => {
    const count = `${files.length} of ${maxFiles} files`;
    console.log(`${entry} with its static imports: ${(bytes / 1000).toFixed(1)} of ${limit / 1000} kB in ${count}`);
    return [
      ...(bytes > limit ? [`${entry} loads ${bytes} bytes at once; the budget is ${limit}`] : []),
      ...(files.length > maxFiles ? [`${entry} loads ${files.length} files at once; the budget is ${maxFiles}`] : []),
      ...early.map((name) => `${entry} loads ${name} at once; it has to be loaded later or not at all`),
    ];
  });
}

if (import.meta.main) {
  const problems = checkSizes();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
