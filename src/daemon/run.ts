import { setTimeout as delay } from 'node:timers/promises';
import { RecordBusyError } from '../engine/record/errors.ts';
import { WriterLease } from '../engine/record/write/writerLease.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { daemonFolder } from '../transport/daemonFolder.ts';
import { preparePrivateFolder, readEndpoint } from '../transport/endpoint.ts';
import { keepCompiledCode } from './compiledCode.ts';
import type { DaemonOptions } from './options.ts';

/** Another daemon that has the lease publishes its endpoint within this time, in ms. */
const otherReadyMs = 4000;
const retryMs = 20;

/** Serves one store until it is idle or stopped. @throws if the store cannot be used */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { storeDir, version, onReady } = options;
  const folder = daemonFolder(storeDir, daemonProtocol);
  await preparePrivateFolder(folder);
  const lease = await acquireLease(folder);
  if (lease === null) {
    await otherDaemon(folder);
    onReady();
    return;
  }
  try {
    const cleaned = keepCompiledCode(folder, version);
    // Loading the engine takes most of the start; a daemon that lost the race for the lease does not load it.
    const { serve } = await import('./serve.ts');
    await cleaned;
    await serve(folder, options);
  } finally {
    await lease.release();
  }
}

async function acquireLease(folder: string): Promise<WriterLease | null> {
  try {
    return await WriterLease.acquire(folder, 'daemon', Date.now);
  } catch (error) {
    if (RecordBusyError.is(error)) return null;
    throw error;
  }
}

/** Resolves when the daemon with the lease has published its endpoint. @throws if it does not */
async function otherDaemon(folder: string): Promise<void> {
  for (let waited = 0; waited < otherReadyMs; waited += retryMs) {
    if ((await readEndpoint(folder)) !== null) return;
    await delay(retryMs);
  }
  throw new Error(`Another daemon is using ${folder} but does not respond. Stop it and try again.`);
}
