import { realpath, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';

/** Longer messages end the connection, in bytes. */
const maxPayload = 64 * 1024 * 1024;

export interface WebSocketEvents {
  onText(text: string): void;
  /** Once, however it ended. */
  onClose(): void;
}

/** An open connection. */
export interface WebSocketLink {
  send(text: string): void;
  close(): void;
}

/**
 * Connects to a WebSocket server on a Unix socket of this user.
 * @throws if there is no such server
 */
export async function openWebSocket(
  socketPath: string,
  events: WebSocketEvents,
  signal: AbortSignal,
): Promise<WebSocketLink> {
  // Paths of sockets are short; the agent's folder may have a link to one in a temporary folder.
  const found = await realpath(socketPath);
  const { uid } = await stat(found);
  if (uid !== process.getuid?.()) throw new Error(`${found} belongs to another user.`);
  const { WebSocket } = await import('ws');
  const link = new WebSocket('ws://localhost/', {
    createConnection: () => createConnection(found),
    maxPayload,
    perMessageDeflate: false,
  });
  link.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) events.onText(data.toString('utf8'));
  });
  // `close` follows; without a listener, an error would end the daemon.
  link.on('error', () => undefined);
  const abort = (): void => link.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      link.once('open', resolve);
      link.once('error', reject);
      if (signal.aborted) abort();
    });
  } finally {
    signal.removeEventListener('abort', abort);
  }
  link.once('close', () => events.onClose());
  return {
    send: (text) => {
      if (link.readyState === WebSocket.OPEN) link.send(text);
    },
    close: () => link.close(),
  };
}
