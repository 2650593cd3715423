import { connectRunning } from '../../../src/client/connect.ts';
import { isAlive } from '../../../src/engine/process/identity/identity.ts';
import { daemonProtocol } from '../../../src/protocol/daemon/version.ts';
import { daemonFolder } from '../../../src/transport/daemonFolder.ts';
import { readEndpoint } from '../../../src/transport/endpoint.ts';
import { until } from '../until.ts';

/** Stops the daemon of a store and its runs, if there is one. Resolves after it has exited. */
export async function stopDaemon(storeDir: string): Promise<void> {
  const client = { kind: 'api', person: false } as const;
  const running = await connectRunning({ storeDir, build: 'test', client });
  if (running !== null) {
    await running.call('retire', { when: 'now' });
    await running.closed;
    const daemon = { pid: running.daemon.pid, startTime: null };
    await until('the daemon to exit', async () => !(await isAlive(daemon)));
  }
  const folder = daemonFolder(storeDir, daemonProtocol);
  await until('the daemon to remove its endpoint or to exit', async () => {
    const endpoint = await readEndpoint(folder);
    return endpoint === null || !(await isAlive({ pid: endpoint.pid, startTime: null }));
  });
}
