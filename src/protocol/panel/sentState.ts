import { isObject } from '../../model/text/json.ts';
import { type Change, applyChange, changeOf } from './change.ts';
import type { PageEntry, PageUpdate, Packet, SentUpdate, SessionView, ToPage } from './messages.ts';

/** Number of remembered entries; older ones are sent complete again. */
const most = 64;

/**
 * The view and the newest entries as last sent to the page. Host and page each keep one and apply the same changes in
 * the same order, so that the host sends only differences.
 */
export class SentState {
  readonly #entries = new Map<number, PageEntry>();
  #view: SessionView | undefined;

  /** Starts again with the open entries. */
  begin({ view, page, open }: Extract<ToPage, { type: 'init' }>): void {
    this.#view = view;
    this.#entries.clear();
    const indexes = new Set(open);
    for (const entry of page.entries) if (indexes.has(entry.index)) this.#keep(entry);
  }

  /** Host: the difference from the previous view. */
  encodeView(view: SessionView): Change<SessionView> | undefined {
    const change = this.#view === undefined ? undefined : changeOf(this.#view, view);
    this.#view = view;
    return change;
  }

  /** Host: the update in transit form. */
  encodeUpdate(update: PageUpdate): SentUpdate {
    if (update.op === 'append') {
      this.#append(update.index, update.text);
      return update;
    }
    const before = this.#entries.get(update.entry.index);
    const entry = before === undefined ? update.entry : keepUncut(before, update.entry);
    this.#keep(entry);
    if (before === undefined) return update;
    const change = changeOf(before, entry);
    return {
      op: 'change',
      index: entry.index,
      of: fingerprint(before),
      ...(change !== undefined && { change }),
      ...(update.open === true && { open: true }),
    };
  }

  /** Page: restores the message; `undefined` if it continues from something else than what is here. */
  readMessage(message: Packet): ToPage | undefined {
    switch (message.type) {
      case 'init':
        this.begin(message);
        return message;
      case 'view':
        if (this.#view === undefined) return undefined;
        this.#view = applyChange(this.#view, message.change);
        return { type: 'view', view: this.#view };
      case 'updates': {
        const updates = message.updates.map((update) => this.#readUpdate(update));
        return updates.includes(undefined)
          ? undefined
          : { ...message, updates: updates.filter((update) => update !== undefined) };
      }
      default:
        return message;
    }
  }

  #readUpdate(update: SentUpdate): PageUpdate | undefined {
    if (update.op === 'append') {
      this.#append(update.index, update.text);
      return update;
    }
    if (update.op === 'put') {
      // Anything that is not an entry is shown as received, and nothing continues from it.
      const foreign: unknown = update.entry;
      if (isObject(foreign)) this.#keep(update.entry);
      return update;
    }
    const before = this.#entries.get(update.index);
    if (before === undefined || fingerprint(before) !== update.of) return undefined;
    const entry = update.change === undefined ? before : applyChange(before, update.change);
    this.#keep(entry);
    return { op: 'put', entry, ...(update.open === true && { open: true }) };
  }

  #append(index: number, text: string): void {
    const entry = this.#entries.get(index);
    if (entry !== undefined) this.#keep(appendText(entry, text));
  }

  #keep(entry: PageEntry): void {
    this.#entries.delete(entry.index);
    this.#entries.set(entry.index, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > most && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** The entry with `text` appended; for separate thoughts, also their `reasoning`. */
export function appendText(entry: PageEntry, text: string): PageEntry {
  const content = entry.content + text;
  if (entry.type.kind !== 'thinking' || entry.type.reasoning === undefined) return { ...entry, content };
  return { ...entry, content, type: { ...entry.type, reasoning: entry.type.reasoning + text } };
}

/** If a message was sent complete while it streamed, its final form is not cut again. */
function keepUncut(before: PageEntry, entry: PageEntry): PageEntry {
  const { content } = before;
  const { cut, ...rest } = entry;
  const { content: full, ...others } = cut ?? {};
  if (full !== content.length || !content.startsWith(entry.content)) return entry;
  return { ...rest, content, ...(Object.keys(others).length > 0 && { cut: others }) };
}

/** Distinguishes different texts; 32 bits (FNV-1a), seeded with the length. */
function fingerprint({ content }: PageEntry): number {
  let hash = content.length ^ 0x811c9dc5;
  for (let at = 0; at < content.length; at++) hash = Math.imul(hash ^ content.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
