import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc/node';
import type { FlowControl, FrameBudget } from './flowControl.ts';

/** Maximum bytes of one message. A longer one closes the connection; messages of the protocol are much smaller. */
export const maxMessageBytes = 16 << 20;

const lineFeed = 10;

export interface ReaderOptions {
  /** Maximum bytes of a message before `listen` is called. */
  readonly handshakeBytes?: number;
  readonly flow?: FlowControl;
  readonly budget?: FrameBudget;
}

/** Reads one JSON value per line, ended by byte 10. Invalid JSON or an oversized line destroys the socket. */
export class JsonLineReader extends AbstractMessageReader {
  readonly #socket: Socket;
  #limit: number;
  readonly #flow: FlowControl | undefined;
  readonly #budget: FrameBudget | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  #callback: ((message: unknown) => void) | undefined;

  constructor(socket: Socket, { handshakeBytes = maxMessageBytes, flow, budget }: ReaderOptions = {}) {
    super();
    this.#socket = socket;
    this.#limit = handshakeBytes;
    this.#flow = flow;
    this.#budget = budget;
    socket.on('close', () => {
      this.#clear();
      this.fireClose();
    });
    socket.on('error', (error) => this.fireError(error));
  }

  /** The next value, or `undefined` if the socket closes first. For the handshake; call before `listen`. */
  next(): Promise<unknown> {
    return new Promise((resolve) => {
      const close = this.onClose(() => resolve(undefined));
      this.#read((message) => {
        this.#callback = undefined;
        this.#socket.pause();
        close.dispose();
        resolve(message);
      });
    });
  }

  listen(callback: DataCallback): Disposable {
    this.#limit = maxMessageBytes;
    this.#read((message) => {
      if (!isMessage(message)) return this.#fail('A message is not JSON-RPC.');
      this.#flow?.received(message);
      callback(message);
    });
    return { dispose: () => (this.#callback = undefined) };
  }

  #read(callback: (message: unknown) => void): void {
    const isFirst = this.#socket.listenerCount('data') === 0;
    this.#callback = callback;
    if (isFirst) this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.resume();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(lineFeed);
      const part = end === -1 ? rest : rest.subarray(0, end);
      if (this.#length + part.length > this.#limit) return this.#fail(`A message is longer than ${this.#limit} bytes.`);
      if (this.#budget?.take(part.length) === false) return this.#fail('All clients together send too much at once.');
      this.#length += part.length;
      this.#parts.push(part);
      if (end === -1) return;
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#clear();
      rest = rest.subarray(end + 1);
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return this.#fail('A message is not JSON.');
      }
      const callback = this.#callback;
      if (callback === undefined || this.#socket.destroyed) return;
      callback(message);
      if (this.#callback === undefined && rest.length > 0) {
        // The bytes after the handshake's message belong to the next reader.
        this.#socket.unshift(rest);
        return;
      }
    }
  }

  #clear(): void {
    this.#budget?.giveBack(this.#length);
    this.#parts = [];
    this.#length = 0;
  }

  #fail(reason: string): void {
    this.#clear();
    this.fireError(new Error(reason));
    this.#socket.destroy();
  }
}

/** vscode-jsonrpc validates the rest, and answers an invalid request with an error. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
}

export class JsonLineWriter extends AbstractMessageWriter {
  readonly #socket: Socket;
  readonly #flow: FlowControl | undefined;

  constructor(socket: Socket, flow?: FlowControl) {
    super();
    this.#socket = socket;
    this.#flow = flow;
    socket.on('close', () => this.fireClose());
  }

  /** Resolves when the operating system has accepted the message. @throws if the socket is closed */
  async write(message: Message): Promise<void> {
    await sendLine(this.#socket, message);
    this.#flow?.answered(message);
  }

  end(): void {
    this.#socket.end();
  }
}

export function sendLine(socket: Socket, message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!socket.writable) {
      reject(new Error('The connection is closed.'));
      return;
    }
    socket.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
