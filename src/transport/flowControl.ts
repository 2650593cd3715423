import type { Socket } from 'node:net';

/** Maximum number of pending messages and answers per client. Above, its socket is not read. */
const maxWaiting = 256;

/**
 * Stops reading from a client that sends faster than its messages are handled, or does not read its answers, to limit
 * memory.
 */
export class FlowControl {
  readonly #socket: Socket;
  /** Received, but not yet passed to a handler. */
  #queued = 0;
  /** Requests whose answer the operating system has not accepted yet. */
  #unanswered = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  received(message: object): void {
    if ('id' in message && 'method' in message) this.#unanswered += 1;
    this.#queued += 1;
    // vscode-jsonrpc passes one message to its handler per turn of the event loop.
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

/** Bytes of unfinished messages over all connections. */
export class FrameBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns false if the budget is exceeded. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
