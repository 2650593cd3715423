// @ts-check
/**
 * The git-ignored cache that holds what is too large for the repository: Node 24, code-server, agents.
 * Plain JavaScript, because it runs before there is a Node that reads TypeScript.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cacheProblem, commandProblem } from './startProblem.mjs';

/** The repository's root; found by a file only it has, since tests run from a bundle elsewhere. */
export const repository = up(path.dirname(fileURLToPath(import.meta.url)));

/**
 * @param {string} folder
 * @returns {string}
 */
function up(folder) {
  return existsSync(path.join(folder, 'esbuild.mjs')) ? folder : up(path.dirname(folder));
}

export const cache = path.resolve(process.env['VITRINE_HOST_CACHE'] || path.join(repository, '.vscode-test'));

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * One folder at a time: where a system keeps none (`/proc`), making all at once does not come to an end.
 * @param {string} folder
 */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Takes the lock `name`, or gives undefined while a living process holds it. A dead one's lock is taken over.
 * @param {string} name
 * @returns {(() => void) | undefined} what releases it
 */
export function tryLock(name) {
  const file = path.join(cache, `${name}.lock`);
  try {
    makeFolder(path.dirname(file));
  } catch (error) {
    throw cacheProblem(cache, error);
  }
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw cacheProblem(cache, error);
      const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : NaN;
      if (!(holder > 0) || isAlive(holder)) return undefined;
      rmSync(file, { force: true });
    }
  }
}

/**
 * Runs `install(folder)` unless it succeeded before for the same `version`; one process at a time.
 * The stamp is written last, so that an interrupted install is done again (npm keeps what it has).
 * @param {string} name
 * @param {string} version
 * @param {(folder: string) => Promise<void>} install
 * @returns {Promise<string>} the folder
 */
export async function installOnce(name, version, install) {
  const folder = path.join(cache, name);
  const stamp = path.join(folder, 'installed');
  const done = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === version;
  for (let told = false; !done();) {
    const release = tryLock(name);
    if (!release) {
      if (!told) console.log(`${name}: another process is installing it; waiting for that.`);
      told = true;
      await delay(500);
      continue;
    }
    try {
      if (done()) break;
      mkdirSync(folder, { recursive: true });
      rmSync(stamp, { force: true });
      await install(folder);
      writeFileSync(stamp, version);
    } finally {
      release();
    }
  }
  return folder;
}

/**
 * Runs npm in `folder` with everything that matters said on its command line, whatever the user's npmrc says.
 * @param {string} folder
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to ours: npm finds the registry and its cache by the user's environment
 * @returns {Promise<void>}
 */
export function npm(folder, args, env = {}) {
  const manifest = path.join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-global', '--omit=dev', '--loglevel=error'];
  // An unreachable registry is reported within half a minute.
  flags.push('--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=10000');
  // npm tells the scripts it runs its whole configuration; of the outer npm's, the inner one gets how to reach packages.
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^npm_(?!config_(registry|userconfig|cache|cafile|proxy|https_proxy|noproxy)$)|^INIT_CWD$/i.test(key),
  );
  return run('npm', [...args, ...flags], { cwd: folder, env: { ...Object.fromEntries(inherited), ...env } });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeout?: number }} [options] `timeout` in ms
 * @returns {Promise<void>} rejects with the output when the command fails
 */
export function run(command, args, { cwd, env, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      timeout,
      stdio: ['ignore', 'pipe', 'pipe'],
      // On Windows, npm is a script for the shell; no argument of ours for it has a space.
      shell: process.platform === 'win32' && command === 'npm',
    });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => void (output = (output + chunk.toString()).slice(-20_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(commandProblem(command, args, error.message, '')));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(commandProblem(command, args, `ended with ${String(code ?? signal)}`, output));
    });
  });
}
