import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc/node';
import type { FlowControl, FrameBudget } from './flowControl.ts';
import type { FairTurns, TurnTaker } from './turns.ts';
import { hasMoreValues } from './valueCount.ts';

/** Maximum bytes of one message. A longer one closes the connection; messages of the protocol are much smaller. */
export const maxMessageBytes = 16 << 20;

const lineFeed = 10;

/** Bytes that wait for a turn. Above, the socket is not read. */
const maxUnread = 64 << 10;
/** Longer messages are parsed only if they do not have very many values. */
const maxUncounted = 64 << 10;

export interface ReaderOptions {
  /** Maximum bytes of a message before `listen` is called. */
  readonly handshakeBytes?: number;
  /** Maximum values in a message. Default: no limit. */
  readonly maxValues?: number;
  readonly flow?: FlowControl;
  readonly budget?: FrameBudget;
  /** Shared with other connections. Default: all messages are handled as soon as they arrive. */
  readonly turns?: FairTurns;
}

/** Reads one JSON value per line, ended by byte 10. Invalid JSON or an oversized line destroys the socket. */
export class JsonLineReader extends AbstractMessageReader implements TurnTaker {
  readonly #socket: Socket;
  #limit: number;
  readonly #options: ReaderOptions;
  /** Received, but not parsed. */
  #unreadChunks: Buffer[] = [];
  #unreadBytes = 0;
  /** Parts of a line whose end has not arrived. */
  #lineParts: Buffer[] = [];
  #length = 0;
  #callback: ((message: unknown) => void) | undefined;

  constructor(socket: Socket, options: ReaderOptions = {}) {
    super();
    this.#socket = socket;
    this.#limit = options.handshakeBytes ?? maxMessageBytes;
    this.#options = options;
    options.flow?.onFree(() => this.#requestTurn());
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
        close.dispose();
        resolve(message);
      });
    });
  }

  listen(callback: DataCallback): Disposable {
    this.#limit = maxMessageBytes;
    this.#read((message) => {
      if (!isMessage(message)) return this.#fail('A message is not JSON-RPC.');
      this.#options.flow?.handleMessage(message);
      callback(message);
    });
    return { dispose: () => (this.#callback = undefined) };
  }

  handleNext(): boolean {
    const callback = this.#callback;
    if (callback === undefined || this.#options.flow?.isFull === true || this.#socket.destroyed) return false;
    const line = this.#takeNextLine();
    if (this.#unreadBytes < maxUnread && this.#socket.isPaused()) this.#socket.resume();
    if (line === undefined) return false;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fail('A message is not JSON.');
      return false;
    }
    callback(message);
    return this.#unreadChunks.length > 0;
  }

  #read(callback: (message: unknown) => void): void {
    this.#callback = callback;
    if (this.#socket.listenerCount('data') === 0) this.#socket.on('data', (chunk: Buffer) => this.#addChunk(chunk));
    this.#requestTurn();
  }

  #addChunk(chunk: Buffer): void {
    if (this.#options.budget?.acquire(chunk.length) === false)
      return this.#fail('All clients together send too much at once.');
    this.#unreadChunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= maxUnread) this.#socket.pause();
    this.#requestTurn();
  }

  #requestTurn(): void {
    if (this.#unreadChunks.length === 0) return;
    if (this.#options.turns !== undefined) this.#options.turns.add(this);
    else while (this.handleNext());
  }

  /** `undefined`: its end has not arrived, or it failed. */
  #takeNextLine(): string | undefined {
    for (let chunk = this.#unreadChunks[0]; chunk !== undefined; chunk = this.#unreadChunks[0]) {
      const end = chunk.indexOf(lineFeed);
      const part = end === -1 ? chunk : chunk.subarray(0, end);
      if (this.#length + part.length > this.#limit) {
        this.#fail(`A message is longer than ${this.#limit} bytes.`);
        return undefined;
      }
      const taken = end === -1 ? chunk.length : end + 1;
      this.#unreadBytes -= taken;
      if (taken === chunk.length) this.#unreadChunks.shift();
      else this.#unreadChunks[0] = chunk.subarray(taken);
      this.#lineParts.push(part);
      this.#length += part.length;
      if (end !== -1) return this.#joinLine();
    }
    return undefined;
  }

  #joinLine(): string | undefined {
    const { budget, maxValues } = this.#options;
    const [first] = this.#lineParts;
    const line = this.#lineParts.length === 1 && first !== undefined ? first : Buffer.concat(this.#lineParts);
    budget?.release(line.length + 1);
    this.#lineParts = [];
    this.#length = 0;
    if (maxValues === undefined || line.length <= maxUncounted || !hasMoreValues(line, maxValues))
      return line.toString('utf8');
    this.#fail(`A message has more than ${maxValues} values.`);
    return undefined;
  }

  #clear(): void {
    this.#options.budget?.release(this.#length + this.#unreadBytes);
    this.#options.turns?.remove(this);
    this.#unreadChunks = [];
    this.#unreadBytes = 0;
    this.#lineParts = [];
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
    this.#flow?.handleAnswer(message);
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
