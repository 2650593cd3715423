import { setTimeout as delay } from 'node:timers/promises';
import type { CoordinatorLink } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { RecordBusyError } from '../record/errors.ts';
import { WriterLease } from '../record/write/writerLease.ts';
import { CoordinatorClient } from './client.ts';
import { LocalCoordinator, type LocalDeps } from './local.ts';
import { coordinatorPlace, type CoordinatorPlace } from './place.ts';
import { CoordinatorServer } from './server.ts';

/** One that has the lease listens within this time, or is dead. */
const patienceMs = 10_000;
const againMs = 50;

/** A coordinator, wherever it is. */
export interface JoinedCoordinator {
  readonly link: CoordinatorLink;
  /** It is in this process. */
  readonly hosting: boolean;
  /** Settles when it is no longer there. */
  readonly gone: Promise<void>;
  /** Leaves it; one in this process ends, and another takes its place. */
  close(): Promise<void>;
}

export interface JoinOptions {
  /** Begin one here where there is none. */
  readonly host: boolean;
}

/**
 * The one coordinator of a store: that of another process, or a new one in this.
 * @throws CoordinatorError `unreachable` where there is none, and none may begin here; `forbidden` for one that is not ours
 */
export async function joinCoordinator(
  storeDir: string,
  deps: LocalDeps,
  { host }: JoinOptions,
): Promise<JoinedCoordinator> {
  const place = await coordinatorPlace(storeDir);
  const until = deps.monotonic() + patienceMs;
  for (;;) {
    const client = await connect(place, deps);
    if (client !== undefined) return joined(client);
    if (!host) {
      throw new CoordinatorError('unreachable', 'No coordinator runs for this store. Start a runner: vitrine runner.');
    }
    const hosted = await begin(place, deps);
    if (hosted !== undefined) return hosted;
    if (deps.monotonic() >= until) {
      throw new CoordinatorError('unreachable', `The coordinator process does not respond: ${place.address}`);
    }
    await delay(againMs);
  }
}

async function connect(place: CoordinatorPlace, { log }: LocalDeps): Promise<CoordinatorClient | undefined> {
  try {
    return await CoordinatorClient.connect(place, log);
  } catch (error) {
    if (CoordinatorError.is(error, 'unreachable')) return undefined;
    throw error;
  }
}

function joined(client: CoordinatorClient): JoinedCoordinator {
  return {
    link: client,
    hosting: false,
    gone: client.closed,
    close: async () => {
      client.dispose();
      await client.closed;
    },
  };
}

/** `undefined` where another process was quicker. */
async function begin(place: CoordinatorPlace, deps: LocalDeps): Promise<JoinedCoordinator | undefined> {
  const lease = await leaseOf(place, deps);
  if (lease === undefined) return undefined;
  try {
    const local = await LocalCoordinator.open(place.journal, deps);
    try {
      return hosted(await CoordinatorServer.listen(place, local, deps.log), local, lease);
    } catch (error) {
      await local.close();
      throw error;
    }
  } catch (error) {
    await lease.release();
    throw new CoordinatorError('unreachable', `The coordinator cannot listen at ${place.address}: ${String(error)}`);
  }
}

async function leaseOf({ folder }: CoordinatorPlace, { clock }: LocalDeps): Promise<WriterLease | undefined> {
  try {
    return await WriterLease.acquire(folder, 'coordinator', clock);
  } catch (error) {
    if (RecordBusyError.is(error)) return undefined;
    throw error;
  }
}

function hosted(server: CoordinatorServer, local: LocalCoordinator, lease: WriterLease): JoinedCoordinator {
  let closed = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  return {
    link: local,
    hosting: true,
    gone,
    close: async () => {
      await server.close();
      await local.close();
      await lease.release();
      closed();
    },
  };
}
