import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import { MarkdownStream, mayTakeParts, type Part } from '../markdown/blocks.ts';

interface Document {
  stream: MarkdownStream;
  /** Characters parsed so far. */
  taken: number;
  closed: boolean;
}

/** The parsed text of messages, created on demand and extended as they grow. */
export class Documents {
  readonly #documents = new Map<number, Document>();
  /** Whether an entry may take several rows. */
  readonly #severalRows = new WeakMap<PageEntry, boolean>();

  /** Number of rows of the entry. */
  rows(entry: PageEntry, open: boolean): number {
    return this.mayTakeRows(entry) ? Math.max(1, this.parts(entry, open).length) : 1;
  }

  mayTakeRows(entry: PageEntry): boolean {
    if (entry.type.kind !== 'assistant_message') return false;
    let several = this.#severalRows.get(entry);
    if (several === undefined) this.#severalRows.set(entry, (several = mayTakeParts(entry.content)));
    return several;
  }

  parts(entry: PageEntry, open: boolean): readonly Part[] {
    const text = bodyOf(entry);
    let document = this.#documents.get(entry.index);
    if (document === undefined || document.taken > text.length || (document.closed && document.taken !== text.length)) {
      document = { stream: new MarkdownStream(), taken: 0, closed: false };
      this.#documents.set(entry.index, document);
    }
    if (!document.closed) {
      document.stream.append(text.slice(document.taken));
      document.taken = text.length;
      document.closed = !open;
      document.stream.update(!open);
    }
    return document.stream.parts;
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
