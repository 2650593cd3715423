import type { Socket } from 'node:net';
import { LineSplitter } from '../output/lineSplitter.ts';
import { maxLine } from './wire.ts';

/** One JSON object per line in both directions. What is no JSON, or too long, is `undefined`. */
export class LineSocket {
  readonly #socket: Socket;

  constructor(socket: Socket, on: { readonly message: (message: unknown) => void; readonly closed: () => void }) {
    this.#socket = socket;
    const lines = new LineSplitter(maxLine);
    socket.on('data', (chunk) => {
      for (const line of lines.push(chunk)) {
        if (!socket.destroyed) on.message('text' in line ? parse(line.text) : undefined);
      }
    });
    // What went wrong is not of interest: it is closed then, and that is told.
    socket.on('error', () => undefined);
    socket.once('close', on.closed);
  }

  send(message: unknown): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the other side has taken most of what was sent, or is gone. */
  async drained(): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || !socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
