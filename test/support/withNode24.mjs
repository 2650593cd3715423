// @ts-check
/** `node withNode24.mjs SCRIPT [ARGUMENT]…`: runs a TypeScript file of ours under Node 24, which is installed if need be. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { endWithParent } from './host/endings.mjs';
import { ensureNode24, node24 } from './host/node24.mjs';

await ensureNode24();
const child = spawn(node24, process.argv.slice(2), {
  stdio: 'inherit',
  // What runs on the Node that the user has is tested there too.
  env: { ...process.env, VITRINE_SYSTEM_NODE: process.execPath },
});
// A terminal sends Ctrl-C to both of us; the child decides when to end, and we end with it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGTERM'));
endWithParent(() => child.kill('SIGTERM'));
child.once('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
child.once('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
});
