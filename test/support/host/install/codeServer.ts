import { cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../processes/temporaryFolder.mjs';
import { cache, installOnce, npm } from './cache.mjs';
import { node24, node24Headers } from './node24.mjs';

const version = '4.139.1';
const folder = path.join(cache, 'code-server/node_modules/code-server');

/** code-server's entry script for Node 24; exists only after `ensureCodeServer`. */
export const codeServerEntry = path.join(folder, 'out/node/entry.js');

/** Installs code-server, which serves VS Code's workbench to a browser. Uses only the npm registry. */
export async function ensureCodeServer(): Promise<void> {
  await installOnce('code-server', version, async (target) => {
    console.log(
      `Installing code-server ${version} (VS Code 1.${version.slice(2)}) into ${target}: 620 MB, 1 to 3 minutes.`,
    );
    const started = performance.now();
    const env = { PATH: [path.dirname(node24), process.env['PATH']].join(path.delimiter) };
    const install = ['install', '--ignore-scripts', '--no-save'];
    await npm(target, [...install, `code-server@${version}`], env);
    const inner = path.join(folder, 'lib/vscode');
    await npm(inner, install, env);
    await npm(path.join(inner, 'extensions'), install, env);
    await compileLogging(inner, env);
    console.log(`code-server is installed (${((performance.now() - started) / 1000).toFixed(0)} s).`);
  });
}

/**
 * Compiles the two native modules without a prebuilt binary that are useful: spdlog for output channels, the watchdog
 * for stack traces in the log. Everything else works without them, so a missing compiler is not an error. Uses the
 * temporary folder, because make cannot build in a path with spaces.
 */
async function compileLogging(inner: string, env: NodeJS.ProcessEnv): Promise<void> {
  const names = ['@vscode/spdlog', '@vscode/native-watchdog'];
  const build = mkdtempSync(path.join(tmpdir(), 'compile-'));
  try {
    const packages = names.map((name) => `${name}@${versionOf(path.join(inner, 'node_modules', name))}`);
    const headers = path.join(build, 'node');
    if (node24Headers !== undefined) symlinkSync(node24Headers, headers, 'junction');
    const variables = node24Headers === undefined ? env : { ...env, npm_config_nodedir: headers };
    await npm(build, ['install', '--ignore-scripts', '--no-save', ...packages], variables);
    await npm(build, ['rebuild', '--ignore-scripts=false', '--foreground-scripts', ...names], variables);
    for (const name of names) {
      const release = path.join('node_modules', name, 'build/Release');
      cpSync(path.join(build, release), path.join(inner, release), { recursive: true });
    }
  } catch (error) {
    console.warn(`Could not compile ${names.join(' and ')} (g++, make, python3?): output channels will be empty.`);
    console.warn(String(error).split('\n').slice(-5).join('\n'));
  } finally {
    removeFolder(build);
  }
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
