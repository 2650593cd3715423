import { open, type FileHandle } from 'node:fs/promises';
import type { SessionHandle } from '../api.ts';
import { errorCode } from '../record/layout.ts';

const pieceBytes = 64 << 10;
/** Maximum bytes of one stream returned as text. */
const textBytes = 1 << 20;

type RawSource = Pick<SessionHandle, 'rawPath' | 'done'> & {
  onUpdates(listener: () => void): { dispose(): void };
};

export interface RawChunk {
  readonly type: 'stdout' | 'stderr';
  readonly data: Uint8Array;
}

/** Output of the active run, read from its raw logs as it grows, so a late reader misses nothing. */
export async function* rawChunks(handle: RawSource, runId: string): AsyncGenerator<RawChunk, void, undefined> {
  const paths = handle.rawPath(runId);
  const streams = [new Follower('stdout', paths.stdout), new Follower('stderr', paths.stderr)];
  const state = { over: false };
  let wake = (): void => undefined;
  const news = handle.onUpdates(() => wake());
  void handle.done.then(() => {
    state.over = true;
    wake();
  });
  try {
    for (;;) {
      const last = state.over;
      const next = new Promise<void>((resolve) => {
        wake = resolve;
        if (state.over) resolve();
      });
      for (const stream of streams) yield* stream.newChunks();
      if (last) return;
      await next;
    }
  } finally {
    news.dispose();
    await Promise.all(streams.map((stream) => stream.close()));
  }
}

/** End of a run's output as text; '' if it printed nothing. */
export async function rawText(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(nullIfMissing);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - textBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}

class Follower {
  readonly #type: RawChunk['type'];
  readonly #path: string;
  #file: FileHandle | null = null;
  #offset = 0;

  constructor(type: RawChunk['type'], path: string) {
    this.#type = type;
    this.#path = path;
  }

  async *newChunks(): AsyncGenerator<RawChunk, void, undefined> {
    this.#file ??= await open(this.#path, 'r').catch(nullIfMissing);
    if (this.#file === null) return;
    for (;;) {
      const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      yield { type: this.#type, data: buffer.subarray(0, bytesRead) };
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }
}

/** The run has not printed anything (yet). */
function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
