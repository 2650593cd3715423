import type { RunningSession } from '../../protocol/daemon/calls.ts';
import type { DaemonConnection } from '../connection.ts';

interface RunIn {
  readonly connection: DaemonConnection;
  readonly session: RunningSession;
}

/** Every session that runs in these daemons, of any protocol version. A daemon that has just exited has none. */
export async function runsIn(connections: readonly DaemonConnection[]): Promise<RunIn[]> {
  const runs = await Promise.all(
    connections.map(async (connection) => {
      const running = await connection.call('running', {}).catch(() => []);
      return running.map((session): RunIn => ({ connection, session }));
    }),
  );
  return runs.flat();
}
