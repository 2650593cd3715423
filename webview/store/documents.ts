import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import { markdownParts, MarkdownStream, mayTakeParts, type Part } from '../markdown/blocks.ts';
import { isLongerThanScreen, lastScreen } from '../markdown/lastScreen.ts';

/** Rows of dense text, which may have many elements, that are drawn first. */
const partsOfScreen = 4;

interface Document {
  stream: MarkdownStream;
  /** Characters parsed so far. */
  parsedLength: number;
  isClosed: boolean;
}

/** The parsed text of messages, created on demand and extended as they grow. */
export class Documents {
  readonly #documents = new Map<number, Document>();
  /** Whether an entry may take several rows. */
  readonly #mayTakeSeveralRows = new WeakMap<PageEntry, boolean>();
  /** While there is one, long messages consist of their ends. */
  #endParts: WeakMap<PageEntry, readonly Part[]> | undefined;
  #hasParts = false;

  /**
   * Makes long messages consist of their ends until `drawCompletely`: the first screen shows the end of a session, and waits for
   * nothing above it.
   */
  drawOnlyEnds(): void {
    this.#endParts = new WeakMap();
  }

  /** False if nothing has been drawn in part. */
  drawCompletely(): boolean {
    const hadParts = this.#hasParts;
    this.#endParts = undefined;
    this.#hasParts = false;
    return hadParts;
  }

  /** Whether only the end of the entry is drawn. */
  isEnd(entry: PageEntry): boolean {
    return this.#endParts?.has(entry) === true;
  }

  /** Number of rows of the entry. */
  rows(entry: PageEntry, open: boolean): number {
    return this.mayTakeRows(entry) ? Math.max(1, this.parts(entry, open).length) : 1;
  }

  mayTakeRows(entry: PageEntry): boolean {
    if (entry.type.kind !== 'assistant_message') return false;
    let several = this.#mayTakeSeveralRows.get(entry);
    if (several === undefined) this.#mayTakeSeveralRows.set(entry, (several = mayTakeParts(entry.content)));
    return several;
  }

  parts(entry: PageEntry, open: boolean): readonly Part[] {
    const text = bodyOf(entry);
    const end = this.#endPartsOf(entry, text);
    if (end !== undefined) return end;
    let document = this.#documents.get(entry.index);
    if (
      document === undefined ||
      document.parsedLength > text.length ||
      (document.isClosed && document.parsedLength !== text.length)
    ) {
      document = { stream: new MarkdownStream(), parsedLength: 0, isClosed: false };
      this.#documents.set(entry.index, document);
    }
    if (!document.isClosed) {
      document.stream.append(text.slice(document.parsedLength));
      document.parsedLength = text.length;
      document.isClosed = !open;
      document.stream.update(!open);
    }
    return document.stream.parts;
  }

  #endPartsOf(entry: PageEntry, text: string): readonly Part[] | undefined {
    const isCut = entry.type.kind === 'assistant_message' && isLongerThanScreen(text);
    if (this.#endParts === undefined || !isCut) return undefined;
    this.#hasParts = true;
    let parts = this.#endParts.get(entry);
    if (parts === undefined) this.#endParts.set(entry, (parts = markdownParts(lastScreen(text)).slice(-partsOfScreen)));
    return parts;
  }

  /** Call this when an entry's text changed other than by growing. */
  forget(index: number): void {
    this.#documents.delete(index);
  }

  clear(): void {
    this.#documents.clear();
  }
}

/** The displayed text of an entry: the reasoning if the agent has a separate field, else the content. */
export function bodyOf({ type, content }: PageEntry): string {
  return type.kind === 'thinking' ? (type.reasoning ?? content) : content;
}
