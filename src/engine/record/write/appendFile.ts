import { mkdir, open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const newline = Buffer.from('\n');
const copyBytes = 1024 * 1024;

/**
 * An append-only file with a single handle. With `appendsLines`, each `append` writes whole lines at once and
 * starts on a new line.
 */
export class AppendFile {
  readonly #path: string;
  readonly #appendsLines: boolean;
  #handle: FileHandle;
  /** Whether the file ends in the middle of a line; `null`: check again after a failed write. */
  #endsMidLine: boolean | null = null;

  private constructor(path: string, appendsLines: boolean, handle: FileHandle) {
    this.#path = path;
    this.#appendsLines = appendsLines;
    this.#handle = handle;
  }

  static async open(file: string, { appendsLines }: { appendsLines: boolean }): Promise<AppendFile> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return new AppendFile(file, appendsLines, await open(file, 'a+', 0o600));
  }

  /** Returns the number of bytes written, at least one; with `appendsLines`, of whole lines. @throws file system errors */
  async append(bytes: Buffer): Promise<number> {
    if (!this.#appendsLines) return (await this.#handle.write(bytes)).bytesWritten;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const isTorn = this.#endsMidLine ?? (await endsWithoutNewline(this.#handle));
      const appendsLines = isTorn ? Buffer.concat([newline, bytes]) : bytes;
      this.#endsMidLine = null;
      const { bytesWritten } = await this.#handle.write(appendsLines);
      if (bytesWritten === appendsLines.length) {
        this.#endsMidLine = false;
        return bytes.length;
      }
      // After a partial write, only the torn line is written again.
      const whole = appendsLines.subarray(0, bytesWritten).lastIndexOf(newline) + 1 - (isTorn ? 1 : 0);
      if (whole > 0) return whole;
      // The second attempt either succeeds or reports the reason.
    }
    throw new Error(`${this.#path} accepts only partial writes.`);
  }

  /** Flushes to disk. If the file was deleted, restores it from the open handle. */
  async sync(): Promise<void> {
    const stats = await stat(this.#path, { bigint: true }).catch(() => null);
    const ownStat = await this.#handle.stat({ bigint: true });
    if (stats === null) await this.#swap(await this.#restore());
    else if (stats.ino !== ownStat.ino || stats.dev !== ownStat.dev)
      await this.#swap(await open(this.#path, 'a+', 0o600));
    await this.#handle.datasync();
  }

  async #restore(): Promise<FileHandle> {
    await mkdir(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    const copy = `${this.#path}.restored`;
    const handle = await open(copy, 'a+', 0o600);
    try {
      await handle.truncate();
      await copyAll(this.#handle, handle);
      await rename(copy, this.#path);
      return handle;
    } catch (error) {
      await handle.close();
      await unlink(copy).catch(() => undefined);
      throw error;
    }
  }

  async #swap(next: FileHandle): Promise<void> {
    const old = this.#handle;
    this.#handle = next;
    this.#endsMidLine = null;
    await old.close();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

async function endsWithoutNewline(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer[0] !== 10;
}

async function copyAll(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.alloc(copyBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await from.read({ buffer, position });
    if (bytesRead === 0) return;
    let written = 0;
    while (written < bytesRead) written += (await to.write(buffer, written, bytesRead - written)).bytesWritten;
    position += bytesRead;
  }
}
