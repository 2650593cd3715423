import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { EntryWriter } from './entryWriter.ts';

/** Characters kept of the beginning and the end of stderr. */
const saved = 64 * 1024;
/** Characters per entry; the rest begins another. */
const maxCharsPerEntry = 64 * 1024;

/** Stderr: consecutive lines form one entry; the first and last 64 KiB are facts of the run. */
export class Stderr {
  readonly #writer: EntryWriter;
  #entry: NormalizedEntry | undefined;
  #lines: string[] = [];
  #length = 0;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #isTruncated = false;

  constructor(writer: EntryWriter) {
    this.#writer = writer;
  }

  push(line: string, timestamp: string, metadata: NormalizedEntryMetadata | undefined): void {
    this.#remember(`${line}\n`);
    if (this.#entry !== undefined && this.#length + line.length > maxCharsPerEntry) this.close();
    if (this.#entry === undefined) {
      const type = { kind: 'system_message', subtype: 'stderr' } as const;
      this.#entry = this.#writer.add({ type, content: line, timestamp, metadata, open: true });
      this.#lines = [line];
      this.#length = line.length;
      return;
    }
    this.#writer.append(this.#entry.index, `\n${line}`);
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  /** Something else happened: the next output on stderr is a new entry. */
  close(): void {
    if (this.#entry === undefined) return;
    this.#writer.put({ ...this.#entry, content: this.#lines.join('\n') });
    this.#entry = undefined;
    this.#lines = [];
  }

  get text(): string {
    const tail = this.#tail.join('').slice(-saved);
    return this.#isTruncated ? `${this.#head}\n[…]\n${tail}` : this.#head + tail;
  }

  #remember(chunk: string): void {
    const room = saved - this.#head.length;
    this.#head += chunk.slice(0, room);
    const rest = chunk.slice(Math.max(0, room));
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength > 2 * saved) {
      const joined = this.#tail.join('');
      this.#isTruncated = true;
      this.#tail = [joined.slice(-saved)];
      this.#tailLength = saved;
    }
    if (this.#tailLength > saved) this.#isTruncated = true;
  }
}
