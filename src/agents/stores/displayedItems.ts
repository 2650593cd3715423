import type { EntryType, NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import type { StoreSession } from './storeSession.ts';

/** The displayed form of a part of a stored conversation. */
export interface DisplayedItem {
  readonly type: EntryType;
  readonly content: string;
  readonly origin?: Origin;
  /** The stored value, if it is not understood. */
  readonly raw?: string;
  /** A counted tool call. */
  readonly callId?: string;
}

/** Entries of a store that is rewritten at each change: reports only new and changed items. */
export class ShownItems {
  readonly #session: StoreSession;
  readonly #shownByKey = new Map<string, { readonly entry: NormalizedEntry; readonly item: string }>();

  constructor(session: StoreSession) {
    this.#session = session;
  }

  get size(): number {
    return this.#shownByKey.size;
  }

  /** `key`: position of the item in the conversation. */
  show(key: string, item: DisplayedItem, timestamp: string): void {
    const { run, facts } = this.#session;
    const now = JSON.stringify(item);
    const before = this.#shownByKey.get(key);
    if (before?.item === now) return;
    const { type, content, origin, raw, callId } = item;
    const open = type.kind === 'tool_use' && type.tool.status === 'running';
    if (callId !== undefined) facts.call({ key: callId, at: timestamp });
    if (before !== undefined) {
      const entry = { ...before.entry, type, content };
      run.writer.put(entry, open);
      this.#shownByKey.set(key, { entry, item: now });
      return;
    }
    if (raw !== undefined) facts.records.unknown += 1;
    const metadata = this.#session.metadata(raw === undefined ? undefined : { raw });
    const entry = run.writer.add({ type, content, timestamp, metadata, open, ...(origin !== undefined && { origin }) });
    this.#shownByKey.set(key, { entry, item: now });
  }

  /** The agent has ended: running calls never got a result. */
  cancelRunning(): void {
    for (const [key, { entry, item }] of this.#shownByKey) {
      if (entry.type.kind !== 'tool_use' || entry.type.tool.status !== 'running') continue;
      const tool = { ...entry.type.tool, status: 'cancelled' as const };
      const put: NormalizedEntry = { ...entry, type: { kind: 'tool_use', tool } };
      this.#shownByKey.set(key, { entry: put, item });
      this.#session.run.writer.put(put);
    }
  }
}
