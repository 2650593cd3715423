/**
 * `resumingHost.ts STORE ID STEPS`: resumes a session with a short run, repeatedly, until it is killed. Prints `begin`
 * before each.
 */
import { writeSync } from 'node:fs';
import { Engine } from '../../../src/engine/engine.ts';
import { benchDeps, waitForResult } from './engine.ts';

const [store = '', id = '', steps = '[]'] = process.argv.slice(2);
const engine = new Engine(benchDeps(store));
for (;;) {
  writeSync(1, 'begin\n');
  const handle = await engine.resume(id, { prompt: steps });
  await waitForResult(handle);
  handle.dispose();
}
