import path from 'node:path';
import { connect } from '../../../src/client/connect.ts';
import { Listeners } from '../../../src/client/listeners.ts';
import { RemoteQueue } from '../../../src/client/queue/remoteQueue.ts';
import type { ChangedRun } from '../../../src/protocol/daemon/queue.ts';
import { platformVariables } from '../platform.ts';
import { stopDaemon } from './stop.ts';

/** The queue of a store's daemon, which is started where none runs. */
export async function openQueueClient(storeDir: string, home: string) {
  const changes = new Listeners<[ChangedRun]>();
  const connection = await connect({
    storeDir,
    daemonFile: path.resolve('src/daemon/main.ts'),
    environment: { PATH: process.env['PATH'], HOME: home, ...platformVariables },
    build: 'test',
    client: { kind: 'api', person: false },
    // Under Wine, on a busy machine, a daemon needs more than 30 s to load its sources.
    withinMs: 90_000,
    onNews: ({ runs }) => {
      for (const run of runs) changes.fire(run);
      return Promise.resolve();
    },
  });
  await connection.call('watch', { events: false, runs: true });
  return {
    connection,
    link: new RemoteQueue(connection),
    onRun: (listener: (run: ChangedRun) => void) => changes.on(listener),
    /** Ends the daemon, with all that it runs. */
    stop: async (): Promise<void> => {
      connection.close();
      await stopDaemon(storeDir);
    },
  };
}
export type QueueClient = Awaited<ReturnType<typeof openQueueClient>>;
