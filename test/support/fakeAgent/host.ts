/** `host.ts STORE CWD PROMPT`: an engine in a process that tests kill. Prints the session's id when it is running. */
import { Engine } from '../../../src/engine/engine.ts';
import { benchDeps, waitForEntry } from './engine.ts';

const [store = '', cwd = '', prompt = ''] = process.argv.slice(2);
const engine = new Engine(benchDeps(store));
const handle = await engine.start({ agent: 'claude-code', cwd, prompt });
await waitForEntry(handle, 'running');
console.log(handle.id);
