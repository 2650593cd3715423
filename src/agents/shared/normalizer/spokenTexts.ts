import type { EntryType, NormalizedEntry, Origin } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import { LatestTexts } from './latestTexts.ts';
import type { EntryWriter } from './entryWriter.ts';

/** `user`: messages of the other side that the agent repeats. */
export type TextKind = 'text' | 'thinking' | 'user';

interface StreamedText {
  readonly kind: TextKind;
  readonly entry: NormalizedEntry;
  readonly counted: boolean;
  readonly pieces: string[];
  /** Characters of all pieces. */
  length: number;
}

/** Entries of the model's texts and thoughts, complete or in pieces, and the resulting answer. */
export class SpokenTexts {
  readonly #writer: EntryWriter;
  readonly #answer = new LatestTexts();
  /** Characters of all answers. */
  #length = 0;
  #joinedAnswer: string | undefined;
  #finalText = '';
  #streamingText: StreamedText | undefined;
  /** Entries that were added open, in their current form. */
  readonly #open = new Map<number, NormalizedEntry>();
  /** Pieces of open entries after their current form. */
  readonly #addedPieces = new Map<number, string[]>();

  constructor(writer: EntryWriter) {
    this.#writer = writer;
  }

  /** A complete text. Not `counted`: in the transcript, but not part of the answer. */
  add(
    kind: TextKind,
    content: string,
    timestamp: string,
    metadata: NormalizedEntryMetadata | undefined,
    { open = false, counted = true }: { open?: boolean; counted?: boolean } = {},
  ): NormalizedEntry {
    this.close();
    const entry = this.#writer.add({ type: typeOf(kind, content), content: content, timestamp, metadata, open });
    if (open) this.#open.set(entry.index, entry);
    if (kind === 'text' && counted) this.#setContent(entry.index, content);
    return entry;
  }

  /** The text of an entry that was added open. */
  replace(entry: NormalizedEntry, kind: TextKind, content: string, { open = false, counted = true } = {}): void {
    const now = { ...entry, type: typeOf(kind, content), content: content };
    this.#addedPieces.delete(entry.index);
    if (open) this.#open.set(entry.index, now);
    else this.#open.delete(entry.index);
    this.#writer.put(now, open);
    if (kind === 'text' && counted) this.#setContent(entry.index, content);
  }

  /** More of an entry that was added open. */
  append({ index, content }: NormalizedEntry, delta: string): void {
    const pieces = this.#addedPieces.get(index) ?? [content];
    pieces.push(delta);
    this.#addedPieces.set(index, pieces);
    this.#writer.append(index, delta);
  }

  /** An entry that was added open will not be completed: it stays as it is, and is not part of the answer. */
  abandon(entry: NormalizedEntry, kind: TextKind): void {
    const shown = this.#shownText(entry);
    this.replace({ ...entry, metadata: { ...entry.metadata, aborted: true } }, kind, shown, { counted: false });
  }

  #shownText({ index, content }: NormalizedEntry): string {
    return this.#addedPieces.get(index)?.join('') ?? content;
  }

  /** The next piece of a text; the first one opens its entry. `origin` and `counted` are those of the first. */
  piece(
    kind: TextKind,
    delta: string,
    timestamp: string,
    metadata: NormalizedEntryMetadata | undefined,
    { origin, counted = true }: { origin?: Origin | undefined; counted?: boolean } = {},
  ): NormalizedEntry {
    if (this.#streamingText !== undefined && this.#streamingText.kind !== kind) this.close();
    if (this.#streamingText === undefined) {
      const type = typeOf(kind, delta);
      const from = origin === undefined ? {} : { origin };
      const entry = this.#writer.add({ type, content: delta, timestamp, metadata, open: true, ...from });
      this.#streamingText = { kind, entry, counted, pieces: [delta], length: delta.length };
      return entry;
    }
    this.#streamingText.pieces.push(delta);
    this.#streamingText.length += delta.length;
    this.#writer.append(this.#streamingText.entry.index, delta);
    return this.#streamingText.entry;
  }

  /** The streaming entry; `undefined` if there is none of this kind. */
  streamedText(kind: TextKind): string | undefined {
    return this.#streamingText?.kind === kind ? this.#streamingText.pieces.join('') : undefined;
  }

  /** Whether `content` equals the streaming text. */
  isStreamed(kind: TextKind, content: string): boolean {
    return this.#streamingText?.length === content.length && this.streamedText(kind) === content;
  }

  /** The kind of the streaming text. */
  get streaming(): TextKind | undefined {
    return this.#streamingText?.kind;
  }

  /** New metadata of the streaming entry. */
  annotate(metadata: NormalizedEntryMetadata): void {
    const streaming = this.#streamingText;
    if (streaming === undefined) return;
    const entry = { ...streaming.entry, metadata };
    this.#streamingText = { ...streaming, entry };
    const shown = streaming.pieces.join('');
    this.#writer.put({ ...entry, type: typeOf(streaming.kind, shown), content: shown }, true);
  }

  /** Closes the streaming entry, with `whole` instead of its pieces if given. */
  close(whole?: string): void {
    const streaming = this.#streamingText;
    if (streaming === undefined) return;
    this.#streamingText = undefined;
    const { entry, kind, counted } = streaming;
    this.replace(entry, kind, whole ?? streaming.pieces.join(''), { counted });
  }

  /** Closes the last entry of a message with several entries, because something else follows. */
  closeMessage(whole: string): void {
    this.close();
    this.#finalText = whole;
  }

  /** Nothing more follows: open entries stay as they are. */
  end(): void {
    this.close();
    for (const entry of this.#open.values()) {
      const shown = this.#shownText(entry);
      const kind = entry.type.kind === 'thinking' ? 'thinking' : entry.type.kind === 'user_message' ? 'user' : 'text';
      this.#writer.put(shown === entry.content ? entry : { ...entry, type: typeOf(kind, shown), content: shown });
      if (kind === 'text' && this.#addedPieces.has(entry.index)) this.#setContent(entry.index, shown);
    }
    this.#open.clear();
    this.#addedPieces.clear();
  }

  /** The texts of the conversation so far, in order; of very long ones, the latest. */
  get texts(): readonly string[] {
    return this.#answer.values();
  }

  /** Whether `content` equals all texts so far plus `delta`, without separators. */
  isAllOf(content: string, delta: string): boolean {
    return this.#length + delta.length === content.length && this.texts.join('') + delta === content;
  }

  get answer(): string {
    this.#joinedAnswer ??= this.#answer.join('\n\n');
    return this.#joinedAnswer;
  }

  get finalText(): string {
    return this.#finalText;
  }

  #setContent(index: number, content: string): void {
    this.#length += content.length - this.#answer.lengthOf(index);
    this.#answer.set(index, content);
    this.#finalText = content;
    this.#joinedAnswer = undefined;
  }
}

function typeOf(kind: TextKind, content: string): EntryType {
  if (kind === 'user') return { kind: 'user_message' };
  return kind === 'text' ? { kind: 'assistant_message' } : { kind: 'thinking', reasoning: content };
}
