/** Maximum number of pending messages and answers per client. Above, nothing more of it is read. */
const maxWaiting = 256;

/**
 * Limits memory for a client that sends faster than its messages are handled, or does not read its answers.
 */
export class FlowControl {
  /** Received, but not yet passed to a handler. */
  #queued = 0;
  /** Requests whose answer the operating system has not accepted yet. */
  #unansweredRequests = 0;
  #onFree: () => void = () => undefined;

  get isFull(): boolean {
    return this.#queued + this.#unansweredRequests > maxWaiting;
  }

  /** Calls `listener` when this is no longer full. */
  onFree(listener: () => void): void {
    this.#onFree = listener;
  }

  handleMessage(message: object): void {
    if ('id' in message && 'method' in message) this.#unansweredRequests += 1;
    this.#queued += 1;
    // vscode-jsonrpc passes one message to its handler per turn of the event loop.
    if (this.#queued === 1) setImmediate(this.#turn);
  }

  handleAnswer(message: object): void {
    if (!('id' in message) || 'method' in message) return;
    this.#unansweredRequests -= 1;
    this.#checkFree();
  }

  readonly #turn = (): void => {
    this.#queued -= 1;
    if (this.#queued > 0) setImmediate(this.#turn);
    this.#checkFree();
  };

  /** Call after one message less. */
  #checkFree(): void {
    if (this.#queued + this.#unansweredRequests === maxWaiting) this.#onFree();
  }
}

/** Bytes that all connections together have received and not handled. */
export class FrameBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(max: number) {
    this.#maxBytes = max;
  }

  /** Returns false if the budget is exceeded. */
  acquire(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
