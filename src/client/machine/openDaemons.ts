import { connectOthers, connectRunning } from '../connect.ts';
import type { DaemonConnection } from '../connection.ts';
import { observer } from './observer.ts';

/** Connections to the running daemons of a store, that of this protocol version first. Starts none. */
export async function openDaemons(storeDir: string, build: string): Promise<DaemonConnection[]> {
  const options = { storeDir, build, client: observer };
  const [own, others] = await Promise.all([connectRunning(options).catch(() => null), connectOthers(options)]);
  return own === null ? others : [own, ...others];
}
