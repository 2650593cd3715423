import type { Readable } from 'node:stream';

/** One chunk of output, in order of arrival. */
export interface OutputChunk {
  readonly type: 'stdout' | 'stderr';
  readonly data: Buffer;
  readonly timestamp: Date;
}

/**
 * Chunks of a stream until it ends. After `exit`, waits at most `graceMs` between chunks, because a process that
 * outlives the agent may hold the pipe open. Never throws: a broken pipe is an end.
 */
async function* readUntilDrained(stream: Readable, exit: Promise<unknown>, graceMs: number): AsyncGenerator<Buffer> {
  let exited = false;
  let waiting = false;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    if (exited && waiting) timer = setTimeout(() => stream.destroy(), graceMs);
  };
  void exit.then(() => {
    exited = true;
    arm();
  });
  const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
  for (;;) {
    waiting = true;
    arm();
    const next = await chunks.next().catch(() => ({ done: true, value: undefined }));
    waiting = false;
    clearTimeout(timer);
    if (next.done === true) return;
    const { value } = next;
    yield Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  }
}

/**
 * Merges both streams of a process and buffers at most one chunk of each, so a slow reader slows the process down. Read
 * it once.
 */
export async function* outputChunks(
  streams: { readonly stdout: Readable; readonly stderr: Readable },
  exit: Promise<unknown>,
  options: { readonly clock: () => number; readonly drainMs: number },
): AsyncGenerator<OutputChunk> {
  const waiting: { readonly chunk: OutputChunk; readonly onChunkRead: () => void }[] = [];
  let wake = (): void => undefined;
  let running = 2;
  const pump = async (type: OutputChunk['type']): Promise<void> => {
    for await (const data of readUntilDrained(streams[type], exit, options.drainMs)) {
      await new Promise<void>((onChunkRead) => {
        waiting.push({ chunk: { type, data, timestamp: new Date(options.clock()) }, onChunkRead });
        wake();
      });
    }
    running -= 1;
    wake();
  };
  void pump('stdout');
  void pump('stderr');
  try {
    while (running > 0 || waiting.length > 0) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next.chunk;
        next.onChunkRead();
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    streams.stdout.destroy();
    streams.stderr.destroy();
  }
}
