import { createServer } from 'node:net';
import { StartProblem } from './install/startProblem.mjs';

/** A free port on loopback. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Listens on `port` (0: any free one) and closes at once; returns the port. */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Parses a port; 0 means any free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartProblem(
    `--port takes a number from 1 to 65535, not "${text}". Try --port 8123, or leave it out for any free port.`,
  );
}

/** Throws with an alternative unless `port` is free. */
export async function checkPort(port: number): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const advice = `Try --port ${await freePort()}, or leave it out for any free port.`;
    if (code === 'EADDRINUSE') throw new StartProblem(`Port ${port} is already in use. ${advice}`);
    throw new StartProblem(`You cannot use port ${port} on this machine (${code}). ${advice}`);
  }
}
