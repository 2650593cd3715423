import { open } from 'node:fs/promises';
import { readAt } from '../record/windows.ts';

const chunkBytes = 1024 * 1024;

/** A file in pieces of at most a MiB. @throws file system errors */
export async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, 'r');
  try {
    for (let offset = 0; ;) {
      const chunk = await readAt(handle, offset, chunkBytes);
      if (chunk.length === 0) return;
      yield chunk;
      offset += chunk.length;
    }
  } finally {
    await handle.close();
  }
}
