import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { OutputLine } from '../../../model/transcript/normalizer.ts';
import { bytesText } from '../bounds.ts';
import { code, codeBlock } from '../describe.ts';
import type { EntryWriter } from './entryWriter.ts';

/** Counts the lines of stdout, and keeps unknown ones. */
export class LineLog {
  readonly counts = { total: 0, unknown: 0, malformed: 0, oversize: 0 };
  readonly #writer: EntryWriter;
  readonly #metadata: () => NormalizedEntryMetadata | undefined;

  constructor(writer: EntryWriter, metadata: () => NormalizedEntryMetadata | undefined) {
    this.#writer = writer;
    this.#metadata = metadata;
  }

  /** A line, or a part of one, of an unknown kind. */
  addUnknown(content: string, raw: string, timestamp: string, metadata = this.#metadata()): void {
    this.counts.unknown += 1;
    const type = { kind: 'system_message', subtype: 'unknown' } as const;
    this.#writer.add({ type, content, timestamp, metadata: { ...metadata, raw } });
  }

  addMalformed(raw: string, timestamp: string): void {
    this.counts.malformed += 1;
    this.#addLineError('This line is not an agent message.', 'malformed_line', raw, timestamp);
  }

  addOversize({ bytes, head }: { bytes: number; head: string }, timestamp: string): void {
    this.counts.oversize += 1;
    const message = `A line of ${bytesText(bytes)} (${bytes} bytes) was too long to read. The raw output has all of it.`;
    this.#addLineError(message, 'oversize_line', head, timestamp);
  }

  /** A line on which the normalizer failed. Not known to happen; the line is kept anyway. */
  logFailure(error: unknown, line: OutputLine, timestamp: string): void {
    const message = error instanceof Error ? error.message : String(error);
    const raw = 'oversize' in line ? line.oversize.head : line.text;
    this.#addLineError(`This line could not be read: ${message}`, 'normalizer_fault', raw, timestamp);
  }

  get warnings(): string[] {
    const { unknown, malformed, oversize } = this.counts;
    const warnings: string[] = [];
    if (unknown > 0) warnings.push(`Unknown lines, recorded unchanged: ${unknown}`);
    if (malformed > 0) warnings.push(`Lines that are not agent messages: ${malformed}`);
    if (oversize > 0) warnings.push(`Lines that were too long to read: ${oversize}`);
    return warnings;
  }

  /** A line that could not be read is shown, but does not mean that the agent failed. */
  #addLineError(message: string, errorCode: string, raw: string, timestamp: string): void {
    this.#writer.add({
      type: { kind: 'error', error: { message, code: errorCode } },
      content: `${message}\n\n${codeBlock(raw)}`,
      timestamp,
      metadata: { ...this.#metadata(), raw },
    });
  }
}

/** A line of stderr for display. */
export function stderrText(line: OutputLine): string {
  return 'oversize' in line ? `${line.oversize.head}… (a line of ${bytesText(line.oversize.bytes)})` : line.text;
}

/** Label of a line of an unknown kind. */
export function unknownLine(message: JsonObject): string {
  const name = [message['type'], message['subtype']].filter((part) => typeof part === 'string').join('/');
  return `Unknown line type: ${code(name === '' ? '(no type)' : name)}`;
}

/** Label of an unknown part of a line. */
export function unknownContent(block: unknown): string {
  const type = isObject(block) ? block['type'] : typeof block;
  return `Unknown content type: ${code(typeof type === 'string' ? type : '(no type)')}`;
}

const byteOrderMark = 0xfe_ff;

/** The value of a JSON text; `undefined` if invalid. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
