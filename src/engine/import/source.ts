import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { failures } from '../failures/failures.ts';
import { isCutOff, openUnpackedFile } from '../record/pack/packFile.ts';
import { readAt } from '../record/read/windows.ts';

const headBytes = 256 * 1024;
const chunkBytes = 1024 * 1024;
const packedEnding = '.gz';
const byteOrderMark = Buffer.from('\uFEFF');

/** A file to import, uncompressed. */
export interface Source {
  readonly handle: FileHandle;
  /** First 256 KiB at most, without a byte order mark. */
  readonly head: Buffer;
  /** 1 if the compressed file is damaged. */
  readonly problems: number;
}

/** The caller closes it. @throws EngineFailure */
export async function openSource(file: string): Promise<Source> {
  let handle: FileHandle | null = null;
  try {
    const opened = file.endsWith(packedEnding)
      ? await openUnpackedFile(file, { endsAtLines: false })
      : { handle: await open(file, 'r'), isPacked: false, isDamaged: false };
    handle = opened.handle;
    const { size } = await handle.stat();
    const isCut = opened.isPacked && (await isCutOff(file.slice(0, -packedEnding.length), size));
    return { handle, head: await headOf(handle), problems: opened.isDamaged || isCut ? 1 : 0 };
  } catch (error) {
    await handle?.close();
    throw failures.importUnreadable(file, error instanceof Error ? error.message : String(error));
  }
}

async function headOf(handle: FileHandle): Promise<Buffer> {
  const head = await readAt(handle, 0, headBytes);
  return head.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? head.subarray(byteOrderMark.length) : head;
}

/** Whole file in chunks of at most 1 MiB. @throws file system errors */
export async function* bytesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const chunk = await readAt(handle, offset, chunkBytes);
    if (chunk.length === 0) return;
    yield chunk;
    offset += chunk.length;
  }
}

/** SHA-256 of the file as stored, hexadecimal. @throws file system errors */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) if (Buffer.isBuffer(chunk)) hash.update(chunk);
  return hash.digest('hex');
}
