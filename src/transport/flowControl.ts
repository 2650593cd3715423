import type { Socket } from 'node:net';

/** Messages of one client that wait to be worked on or answered. Above, its socket is not read. */
const maxWaiting = 256;

/**
 * Reads no further from a client that sends faster than its messages are worked on, or does not read its answers, so that
 * neither fills the memory.
 */
export class FlowControl {
  readonly #socket: Socket;
  /** Taken from the socket, and not yet given to a handler. */
  #queued = 0;
  /** Requests whose answer the operating system has not taken. */
  #unanswered = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  received(message: object): void {
    if ('id' in message && 'method' in message) this.#unanswered += 1;
    this.#queued += 1;
    // vscode-jsonrpc gives one message to its handler in each turn of the event loop.
    if (this.#queued === 1) setImmediate(this.#turn);
    if (this.#waiting > maxWaiting) this.#socket.pause();
  }

  answered(message: object): void {
    if (!('id' in message) || 'method' in message) return;
    this.#unanswered -= 1;
    this.#resume();
  }

  get #waiting(): number {
    return this.#queued + this.#unanswered;
  }

  readonly #turn = (): void => {
    this.#queued -= 1;
    if (this.#queued > 0) setImmediate(this.#turn);
    this.#resume();
  };

  #resume(): void {
    if (this.#waiting <= maxWaiting && this.#socket.isPaused()) this.#socket.resume();
  }
}

/** Bytes of unfinished messages, of all connections together. */
export class FrameBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False: there are too many. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
