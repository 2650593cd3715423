import { stat } from 'node:fs/promises';
import { LineSplitter, type SplitLine } from '../../output/lineSplitter.ts';
import { chunksOf, linesOf, readBytes } from '../files.ts';

/** Bytes before the cursor that must be unchanged to continue. */
const signatureBytes = 64;

/** Read position in a growing file, so that only new lines are read. */
export class LineCursor {
  #splitter = new LineSplitter();
  #offset = 0;
  #signature = Buffer.alloc(0);
  #isPacked = false;
  #hasReadTail = false;

  /** Whether the file still starts with what was read. @throws file system errors */
  async canContinue(path: string): Promise<boolean> {
    const { size } = await stat(path);
    if (this.#isPacked || size < this.#offset || (this.#hasReadTail && size > this.#offset)) return false;
    const length = this.#signature.length;
    return length === 0 || this.#signature.equals(await readBytes(path, this.#offset - length, length));
  }

  /** New complete lines. */
  async *read(path: string): AsyncGenerator<readonly SplitLine[]> {
    if (path.endsWith('.zst')) {
      this.#isPacked = true;
      yield* linesOf(path);
      return;
    }
    for await (const chunk of chunksOf(path, this.#offset)) {
      this.#offset += chunk.byteLength;
      this.#signature = Buffer.concat([this.#signature, chunk.subarray(-signatureBytes)]).subarray(-signatureBytes);
      yield this.#splitter.push(chunk);
    }
  }

  /** Text after the last line end. Use it only if no process writes the file. */
  tail(): readonly SplitLine[] {
    const lines = this.#splitter.end();
    this.#hasReadTail ||= lines.length > 0;
    return lines;
  }
}
