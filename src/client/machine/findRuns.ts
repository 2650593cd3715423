import type { RunningSession } from '../../protocol/daemon/calls.ts';
import { openDaemons } from './openDaemons.ts';
import { runsIn } from './runsIn.ts';

interface FoundRun extends RunningSession {
  /** Resolves when the agent's process tree has ended. @throws DaemonError */
  readonly stop: () => Promise<void>;
}

interface FoundRuns {
  readonly runs: readonly FoundRun[];
  /** Disconnects from the daemons without stopping anything. */
  readonly close: () => void;
}

/** Every run of these stores, in daemons of any protocol version. Starts no daemon. */
export async function findRuns(stores: readonly string[], build: string): Promise<FoundRuns> {
  const connections = (await Promise.all(stores.map((store) => openDaemons(store, build)))).flat();
  const runs = (await runsIn(connections)).map(({ connection, session }): FoundRun => {
    const { session_id } = session;
    const stop = async (): Promise<void> => {
      await connection.call('stop', { session_id, kill: false });
    };
    return { ...session, stop };
  });
  const close = (): void => {
    for (const connection of connections) connection.close();
  };
  return { runs, close };
}
