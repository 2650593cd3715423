/**
 * `writingHost.ts STORE CWD [SESSION]`: an engine in a process that tests kill, with an agent that talks continuously.
 * Prints the session's id, then the index of each settled entry.
 */
import { writeSync } from 'node:fs';
import { Engine } from '../../../src/engine/engine.ts';
import { benchDeps, prompt } from './engine.ts';

const [store = '', cwd = '', session = ''] = process.argv.slice(2);
const deps = benchDeps(store);
const engine = new Engine({ ...deps, settings: () => ({ ...deps.settings(), unreportedChanges: false }) });
const words = Array.from({ length: 400 }, (_, at) => ({ say: `${at} `.repeat(at % 50 === 49 ? 50_000 : 20) }));
const steps = prompt([{ init: true }, ...words, { forever: true }]);
const handle =
  session === ''
    ? await engine.start({ agent: 'claude-code', cwd, prompt: steps })
    : await engine.resume(session, { prompt: steps });
writeSync(1, `${handle.id}\n`);
handle.onUpdates((updates) => {
  const settled = updates.flatMap((update) =>
    update.op === 'put' && update.open !== true ? [update.entry.index] : [],
  );
  writeSync(1, settled.map((index) => `${index}\n`).join(''));
});
