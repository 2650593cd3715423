// @ts-check
/**
 * `node withNode24.mjs SCRIPT [ARGUMENT]…`: runs a TypeScript file of ours under Node 24, which is installed if need be. Its
 * temporary files go into a private folder; that folder, and every process still running in it, is gone at the end.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { startProblem } from './host/install/startProblem.mjs';
import { ensureNode24, node24 } from './host/install/node24.mjs';
import { endWithParent } from './processes/endings.mjs';
import { endLeftovers, killLeftovers } from './processes/leftovers.mjs';
import { createTemporaryFolder, removeTemporaryFolder, temporaryVariables } from './processes/temporaryFolder.mjs';

/** Time for the script to end after a signal, in ms. */
const patience = 30_000;

try {
  await ensureNode24();
  await runScript();
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}

async function runScript() {
  const folder = createTemporaryFolder();
  // Covers every end of this process except SIGKILL.
  process.once('exit', () => {
    killLeftovers(folder);
    removeTemporaryFolder(folder);
  });
  const child = spawn(node24, process.argv.slice(2), {
    stdio: 'inherit',
    // The user's own Node, for tests of what runs on it.
    env: { ...process.env, ...temporaryVariables(folder), VITRINE_SYSTEM_NODE: process.execPath },
  });
  /** @param {'SIGINT' | 'SIGTERM' | undefined} signal */
  const stop = (signal) => {
    if (signal !== undefined) child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), patience).unref();
  };
  // A terminal sends Ctrl-C to both processes; the child decides when to end.
  process.on('SIGINT', () => stop(undefined));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => stop('SIGTERM'));
  endWithParent(() => stop('SIGTERM'));
  /** @type {number} */
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  await endLeftovers(folder, 2000);
  process.exit(code);
}
