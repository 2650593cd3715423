import { isObject } from '../../model/text/json.ts';
import { type Change, changed, changeOf } from './change.ts';
import type { PageEntry, PageUpdate, Sent, SentUpdate, SessionView, ToPage } from './messages.ts';

/** Entries that are remembered; what is older goes out whole once more. */
const most = 64;

/**
 * The view and the newest entries as they last went from the host to the page. Both ends keep one and do the same with it in
 * the same order, so that no more needs to be said of what changes than what changed.
 */
export class LastSent {
  readonly #entries = new Map<number, PageEntry>();
  #view: SessionView | undefined;

  /** Begins anew, with the entries that are open. */
  begin({ view, page, open }: Extract<ToPage, { type: 'init' }>): void {
    this.#view = view;
    this.#entries.clear();
    const indexes = new Set(open);
    for (const entry of page.entries) if (indexes.has(entry.index)) this.#keep(entry);
  }

  /** The host's end: what became another since the view that was sent before. */
  sentView(view: SessionView): Change<SessionView> | undefined {
    const change = this.#view === undefined ? undefined : changeOf(this.#view, view);
    this.#view = view;
    return change;
  }

  /** The host's end: the update as it travels. */
  sentUpdate(update: PageUpdate): SentUpdate {
    if (update.op === 'append') {
      this.#append(update.index, update.text);
      return update;
    }
    const before = this.#entries.get(update.entry.index);
    const entry = before === undefined ? update.entry : asStreamed(before, update.entry);
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

  /** The page's end: the message as it was meant; `undefined` where it continues from something else than what is here. */
  received(message: Sent): ToPage | undefined {
    switch (message.type) {
      case 'init':
        this.begin(message);
        return message;
      case 'view':
        if (this.#view === undefined) return undefined;
        this.#view = changed(this.#view, message.change);
        return { type: 'view', view: this.#view };
      case 'updates': {
        const updates = message.updates.map((update) => this.#received(update));
        return updates.includes(undefined)
          ? undefined
          : { ...message, updates: updates.filter((update) => update !== undefined) };
      }
      default:
        return message;
    }
  }

  #received(update: SentUpdate): PageUpdate | undefined {
    if (update.op === 'append') {
      this.#append(update.index, update.text);
      return update;
    }
    if (update.op === 'put') {
      // What is no entry is shown as it came, and nothing continues from it.
      const foreign: unknown = update.entry;
      if (isObject(foreign)) this.#keep(update.entry);
      return update;
    }
    const before = this.#entries.get(update.index);
    if (before === undefined || fingerprint(before) !== update.of) return undefined;
    const entry = update.change === undefined ? before : changed(before, update.change);
    this.#keep(entry);
    return { op: 'put', entry, ...(update.open === true && { open: true }) };
  }

  #append(index: number, text: string): void {
    const entry = this.#entries.get(index);
    if (entry !== undefined) this.#keep(grown(entry, text));
  }

  #keep(entry: PageEntry): void {
    this.#entries.delete(entry.index);
    this.#entries.set(entry.index, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > most && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** The entry with `text` after what it says; what was thought grows with it where it is told apart. */
export function grown(entry: PageEntry, text: string): PageEntry {
  const content = entry.content + text;
  if (entry.type.kind !== 'thinking' || entry.type.reasoning === undefined) return { ...entry, content };
  return { ...entry, content, type: { ...entry.type, reasoning: entry.type.reasoning + text } };
}

/** A message that went out whole while it streamed is not cut again by its last, budgeted form. */
function asStreamed(before: PageEntry, entry: PageEntry): PageEntry {
  const { content } = before;
  const { cut, ...rest } = entry;
  const { content: full, ...others } = cut ?? {};
  if (full !== content.length || !content.startsWith(entry.content)) return entry;
  return { ...rest, content, ...(Object.keys(others).length > 0 && { cut: others }) };
}

/** Tells texts apart that are not the same by mistake; 32 bits (FNV-1a), begun with the length. */
function fingerprint({ content }: PageEntry): number {
  let hash = content.length ^ 0x811c9dc5;
  for (let at = 0; at < content.length; at++) hash = Math.imul(hash ^ content.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
