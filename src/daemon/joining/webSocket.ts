import { createHash, randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { clientFrame, type Frame, FrameReader } from './frames.ts';

/** Of RFC 6455. */
const acceptedKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

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
 * Connects to a WebSocket server on a Unix socket of this user. Node's own `WebSocket` knows only TCP.
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
  const { socket, head } = await upgraded(found, signal);
  return new Link(socket, head, events);
}

function upgraded(socketPath: string, signal: AbortSignal): Promise<{ socket: Socket; head: Buffer }> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64');
    const headers = {
      Host: 'localhost',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Version': '13',
    };
    const asked = request({ socketPath, path: '/', headers, signal });
    asked.once('error', reject);
    asked.once('response', (response) => {
      response.destroy();
      reject(new Error(`The server answered with ${response.statusCode ?? 'no status'}.`));
    });
    asked.once('upgrade', (response, socket: Socket, head) => {
      const expected = createHash('sha1').update(`${key}${acceptedKey}`).digest('base64');
      if (response.headers['sec-websocket-accept'] === expected) resolve({ socket, head });
      else {
        socket.destroy();
        reject(new Error('The server does not speak WebSocket.'));
      }
    });
    asked.end();
  });
}

class Link implements WebSocketLink {
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #events: WebSocketEvents;

  constructor(socket: Socket, head: Buffer, events: WebSocketEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.once('close', () => events.onClose());
    // `close` follows.
    socket.on('error', () => undefined);
    if (head.length > 0) socket.unshift(head);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  send(text: string): void {
    this.#write('text', Buffer.from(text, 'utf8'));
  }

  close(): void {
    this.#write('close', Buffer.alloc(0));
    this.#socket.end();
  }

  #receive(chunk: Buffer): void {
    let frames: Frame[];
    try {
      frames = this.#reader.add(chunk);
    } catch (error) {
      this.#socket.destroy(error instanceof Error ? error : undefined);
      return;
    }
    for (const frame of frames) {
      if (frame.kind === 'text') this.#events.onText(frame.text);
      else if (frame.kind === 'ping') this.#write('pong', frame.data);
      else this.#socket.end();
    }
  }

  #write(kind: 'text' | 'pong' | 'close', data: Buffer): void {
    if (this.#socket.writable) this.#socket.write(clientFrame(kind, data, randomBytes(4)));
  }
}
