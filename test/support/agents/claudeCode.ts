import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cache, installOnce, npm } from '../host/cache.mjs';

/** The versions the tests run: today's, and of the old ones the ends of the two ways in which they print costs and ids. */
export const claudeVersions = ['2.1.328', '2.0.77', '1.0.3'] as const;
export type ClaudeVersion = (typeof claudeVersions)[number];

/** A program that can be started, or why there is none. */
export type Installed = { readonly program: string } | { readonly missing: string };

/** From 2.1.1xx on the program is a native binary in a package per platform; before, it is JavaScript with a shebang. */
function isNative(version: ClaudeVersion): boolean {
  return version.startsWith('2.1.');
}

function platform(): string {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const musl = process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
}

/**
 * The real Claude Code of that version, from the npm registry into the git-ignored cache, once. Where it cannot be had
 * (no package for this platform, no registry) the answer says why, and the tests that need it skip.
 */
export async function ensureClaudeCode(version: ClaudeVersion): Promise<Installed> {
  const name = isNative(version) ? `@anthropic-ai/claude-code-${platform()}` : '@anthropic-ai/claude-code';
  mkdirSync(path.join(cache, 'agents'), { recursive: true });
  try {
    const folder = await installOnce(`agents/claude-code-${version}`, version, async (target) => {
      console.log(`Installing Claude Code ${version} (${name}) into ${target}.`);
      const started = performance.now();
      // Sharp, the optional one of the old versions, is for pictures only.
      await npm(target, ['install', '--ignore-scripts', '--omit=optional', '--force', `${name}@${version}`]);
      console.log(`Claude Code ${version} is installed (${((performance.now() - started) / 1000).toFixed(0)} s).`);
    });
    const place = path.join(folder, 'node_modules', name);
    const file = isNative(version) ? `claude${process.platform === 'win32' ? '.exe' : ''}` : 'cli.js';
    const program = path.join(place, file);
    return existsSync(program) ? { program } : { missing: `${name}@${version} has no ${file}` };
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    return { missing: `${name}@${version} cannot be installed: ${lines.at(-1) ?? ''}` };
  }
}
