import { createServer } from 'node:net';
import { once } from 'node:events';

/** Different ports of this machine that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(async (server) => {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const address = server.address();
        if (address === null || typeof address === 'string') throw new Error('No port is free.');
        return address.port;
      }),
    );
  } finally {
    for (const server of servers) server.close();
  }
}
