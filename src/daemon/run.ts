import { setTimeout as delay } from 'node:timers/promises';
import { stateOfHolder } from '../engine/process/identity/holder.ts';
import { type LeaseHolder, RecordBusyError } from '../engine/record/errors.ts';
import { WriterLease } from '../engine/record/write/writerLease.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { daemonFolder, ownDaemonFolder } from '../transport/daemonFolder.ts';
import { preparePrivateFolder, readEndpoint } from '../transport/endpoint.ts';
import { keepCompiledCode } from './compiledCode.ts';
import type { DaemonOptions } from './options.ts';

/** Another daemon that has the lease publishes its endpoint within this time, in ms. */
const otherReadyMs = 4000;
const retryMs = 20;
/** Other machines take a lease that was not touched for a day to be left. */
const touchMs = 3600_000;

/** Serves one store until it is idle or stopped. @throws if the store cannot be used */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { storeDir, version, onReady } = options;
  const { folder, lease } = await acquireLease(storeDir);
  if (lease === null) {
    await otherDaemon(folder);
    onReady();
    return;
  }
  const touching = setInterval(() => void lease.touch(Date.now()).catch(() => undefined), touchMs);
  touching.unref();
  try {
    const cleaned = keepCompiledCode(folder, version);
    // Loading the engine takes most of the start; a daemon that lost the race for the lease does not load it.
    const { serve } = await import('./serve.ts');
    await cleaned;
    await serve(folder, options);
  } finally {
    clearInterval(touching);
    await lease.release();
  }
}

interface Acquired {
  readonly folder: string;
  /** `null`: another daemon of this machine has the folder. */
  readonly lease: WriterLease | null;
}

async function acquireLease(storeDir: string): Promise<Acquired> {
  const shared = daemonFolder(storeDir, daemonProtocol);
  const lease = await acquire(shared);
  if (lease instanceof WriterLease) return { folder: shared, lease };
  if (lease === null || (await stateOfHolder(lease)) !== 'elsewhere') return { folder: shared, lease: null };
  // A daemon of another machine that shares the store: its records can be read from here, and other sessions run here.
  const folder = ownDaemonFolder(storeDir, daemonProtocol);
  const own = await acquire(folder);
  return { folder, lease: own instanceof WriterLease ? own : null };
}

/** The lease, or who has it; `null` where that is unknown. */
async function acquire(folder: string): Promise<WriterLease | LeaseHolder | null> {
  await preparePrivateFolder(folder);
  try {
    return await WriterLease.acquire(folder, 'daemon', Date.now);
  } catch (error) {
    if (RecordBusyError.is(error)) return error.holder;
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
