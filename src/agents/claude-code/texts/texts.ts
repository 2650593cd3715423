import type { EntryType, NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import { citations } from './content.ts';
import type { Line } from '../line.ts';
import { LatestTexts } from '../../shared/normalizer/latestTexts.ts';
import type { EntryWriter } from '../../shared/normalizer/entryWriter.ts';
import { SpokenTexts } from './spokenTexts.ts';

export type TextKind = 'text' | 'thinking';

function typeOf(kind: TextKind, content: string): EntryType {
  return kind === 'text' ? { kind: 'assistant_message' } : { kind: 'thinking', reasoning: content };
}

function withAnnotations(
  metadata: NormalizedEntryMetadata | undefined,
  cited: readonly unknown[],
  content: string,
): NormalizedEntryMetadata | undefined {
  const annotations = cited.length === 0 ? [] : citations(cited, content);
  return annotations.length === 0 ? metadata : { ...metadata, annotations };
}

/** Entries of the model's texts and thoughts, and the answer of the main conversation. */
export class Texts {
  readonly #writer: EntryWriter;
  readonly #answer = new LatestTexts();
  /** Texts of the main conversation. */
  readonly #spokenTexts = new SpokenTexts();
  #joinedAnswer: string | undefined;
  #messageId: string | undefined;
  /** Texts of the last message of the main conversation, by index; those before `#messageFrom` are of an older one. */
  readonly #message = new LatestTexts();
  #messageFrom = 0;

  constructor(writer: EntryWriter) {
    this.#writer = writer;
  }

  /** A message of the main conversation begins, or continues. */
  message(id: string | undefined): void {
    if (id !== undefined && id === this.#messageId) return;
    this.#messageId = id;
    this.#message.clear();
    this.#messageFrom = this.#writer.nextIndex;
  }

  /** Opens an entry that grows by `append`. */
  open(kind: TextKind, content: string, line: Line, model?: string): NormalizedEntry {
    const metadata = line.metadata(model);
    return this.#writer.add({
      type: typeOf(kind, content),
      content: content,
      timestamp: line.timestamp,
      metadata,
      open: true,
    });
  }

  append(entry: NormalizedEntry, delta: string): void {
    this.#writer.append(entry.index, delta);
  }

  /** Closes an open entry with its complete text. */
  close(entry: NormalizedEntry, kind: TextKind, content: string, cited: readonly unknown[], main: boolean): void {
    const settled: NormalizedEntry = { ...entry, type: typeOf(kind, content), content: content };
    const metadata = withAnnotations(entry.metadata, cited, content);
    if (metadata !== undefined) settled.metadata = metadata;
    this.#writer.put(settled);
    if (kind === 'text' && main) this.#setContent(entry.index, content);
  }

  add(
    kind: TextKind,
    content: string,
    cited: readonly unknown[],
    line: Line,
    metadata: NormalizedEntryMetadata | undefined,
  ): NormalizedEntry {
    const entry = this.#writer.add({
      type: typeOf(kind, content),
      content: content,
      timestamp: line.timestamp,
      metadata: withAnnotations(metadata, cited, content),
    });
    if (kind === 'text' && line.parentCallId === null) this.#setContent(entry.index, content);
    return entry;
  }

  /** Text that the program wrote instead of the model: part of the answer, but not a message of the model. */
  addSynthetic(content: string, line: Line, metadata: NormalizedEntryMetadata | undefined): NormalizedEntry {
    const entry = this.add('text', content, [], line, metadata);
    this.#message.delete(entry.index);
    return entry;
  }

  /** Whether the main conversation has this text. */
  hasSaid(content: string): boolean {
    return this.#spokenTexts.has(content);
  }

  /** Removes an entry from the answer. */
  retract(index: number): void {
    this.#answer.delete(index);
    this.#message.delete(index);
    this.#joinedAnswer = undefined;
  }

  /** Text of the last message of the main conversation. */
  get finalText(): string {
    return this.#message.join('');
  }

  get answer(): string {
    this.#joinedAnswer ??= this.#answer.join('\n\n');
    return this.#joinedAnswer;
  }

  #setContent(index: number, content: string): void {
    this.#answer.set(index, content);
    this.#spokenTexts.add(content);
    if (index >= this.#messageFrom) this.#message.set(index, content);
    this.#joinedAnswer = undefined;
  }
}
