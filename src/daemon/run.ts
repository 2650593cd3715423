import { setTimeout as delay } from 'node:timers/promises';
import { stateOfHolder } from '../engine/process/identity/holder.ts';
import { type LeaseHolder, RecordBusyError } from '../engine/record/errors.ts';
import { WriterLease } from '../engine/record/write/writerLease.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { daemonFolder, ownDaemonFolder } from '../transport/daemonFolder.ts';
import { preparePrivateFolder, readEndpoint } from '../transport/endpoint.ts';
import { keepCompiledCode } from './compiledCode.ts';
import type { DaemonOptions } from './options.ts';

/**
 * A daemon that has the lease and runs publishes its endpoint within this time, in ms: a busy machine takes a while to
 * load it.
 */
const otherStartMs = 25_000;
/** As above, if it is unknown whether the process runs. */
const unknownStartMs = 4000;
const retryMs = 20;
/** How often it is checked whether the other daemon still runs, in ms. */
const aliveCheckMs = 500;
/** Other machines take a lease that was not touched for a day to be left. */
const touchMs = 3600_000;

/** Serves one store until it is idle or stopped. @throws if the store cannot be used */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { storeDir, version, onReady } = options;
  const { folder, lease } = await acquireOrWait(storeDir);
  if (lease === null) {
    onReady();
    return;
  }
  const leaseTimer = setInterval(() => void lease.updateTime(Date.now()).catch(() => undefined), touchMs);
  leaseTimer.unref();
  try {
    const cleaned = keepCompiledCode(folder, version);
    // Loading the engine takes most of the start; a daemon that lost the race for the lease does not load it.
    const { serve } = await import('./serve.ts');
    await cleaned;
    await serve(folder, options);
  } finally {
    clearInterval(leaseTimer);
    await lease.release();
  }
}

interface AcquiredLock {
  readonly folder: string;
  /** `null`: another daemon of this machine has the folder. */
  readonly lease: WriterLease | null;
  /** The process that holds it; `null` if unknown. */
  readonly holder: LeaseHolder | null;
}

/**
 * `lease` is `null` when another daemon serves the store. @throws if another daemon has the lease and does not serve
 * it
 */
async function acquireOrWait(storeDir: string): Promise<AcquiredLock> {
  for (;;) {
    const acquired = await acquireLease(storeDir);
    if (acquired.lease !== null || (await isServed(acquired))) return acquired;
  }
}

async function acquireLease(storeDir: string): Promise<AcquiredLock> {
  const shared = daemonFolder(storeDir, daemonProtocol);
  const lease = await acquire(shared);
  if (lease instanceof WriterLease) return { folder: shared, lease, holder: null };
  if (lease === null || (await stateOfHolder(lease)) !== 'elsewhere')
    return { folder: shared, lease: null, holder: lease };
  // A daemon of another machine that shares the store: its records can be read from here, and other sessions run here.
  const folder = ownDaemonFolder(storeDir, daemonProtocol);
  const own = await acquire(folder);
  return own instanceof WriterLease ? { folder, lease: own, holder: null } : { folder, lease: null, holder: own };
}

/** The lease, or who has it; `null` if that is unknown. */
async function acquire(folder: string): Promise<WriterLease | LeaseHolder | null> {
  await preparePrivateFolder(folder);
  try {
    return await WriterLease.acquire(folder, 'daemon', Date.now);
  } catch (error) {
    if (RecordBusyError.is(error)) return error.holder;
    throw error;
  }
}

/**
 * Resolves when the daemon with the lease has published its endpoint; false if it has ended. @throws if it does not
 * publish one
 */
async function isServed({ folder, holder }: AcquiredLock): Promise<boolean> {
  const limit = holder === null ? unknownStartMs : otherStartMs;
  for (let waited = 0; waited < limit; waited += retryMs) {
    if ((await readEndpoint(folder)) !== null) return true;
    if (holder !== null && waited % aliveCheckMs === 0 && (await stateOfHolder(holder)) === 'gone') return false;
    await delay(retryMs);
  }
  throw new Error(`Another daemon is using ${folder} but does not respond. Stop it and try again.`);
}
