// @ts-check
/**
 * Imported before a daemon, as `recordTimers.mjs?folder=DIR`: keeps `DIR/<thread>.json` up to date with the delays of the
 * thread's active timers, in ms, and the arguments of Node. Covers the daemon's other threads as well.
 */
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
/** @type {Map<number, { readonly _idleTimeout: number }>} */
const timers = new Map();

function write() {
  const delays = [...timers.values()].map(({ _idleTimeout: ms }) => ms).filter((ms) => ms >= 0);
  const file = path.join(folder, String(threadId));
  writeFileSync(file, JSON.stringify({ delays, arguments: process.execArgv }));
  renameSync(file, `${file}.json`);
}

createHook({
  init(id, type, _, resource) {
    if (type !== 'Timeout') return;
    timers.set(id, /** @type {{ readonly _idleTimeout: number }} */ (resource));
    write();
  },
  destroy(id) {
    if (timers.delete(id)) write();
  },
}).enable();
write();

/** @type {typeof import('node:worker_threads')} */
const threads = createRequire(import.meta.url)('node:worker_threads');
threads.Worker = class extends threads.Worker {
  /**
   * @param {string | URL} file
   * @param {import('node:worker_threads').WorkerOptions} options
   */
  constructor(file, options) {
    super(file, { ...options, execArgv: ['--import', import.meta.url] });
  }
};
syncBuiltinESMExports();
