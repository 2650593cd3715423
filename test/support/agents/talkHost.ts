/** `talkHost.ts STORE CWD PROMPT`: an engine for tests to kill. Prints the session's id at the first request. */
import { Engine } from '../../../src/engine/engine.ts';
import { until } from '../until.ts';
import { waitForRequest, requests, talkingDeps } from './talk.ts';

const [store = '', cwd = '', prompt = ''] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
const engine = new Engine(talkingDeps({ store, env }));
const handle = await engine.start({ agent: 'claude-code', cwd, prompt });
await waitForRequest(handle);
await until('the entry', async () => (await requests(handle)).length > 0);
console.log(handle.id);
