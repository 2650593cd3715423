import type { EntryType, EntryUpdate, NormalizedEntry, Origin } from '../../model/entry.ts';
import type { NormalizedEntryMetadata } from '../../model/metadata.ts';

export interface NewEntry {
  readonly type: EntryType;
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
  readonly origin?: Origin;
  readonly open?: boolean;
}

/** Numbers entries and collects the updates of one push. */
export class EntryWriter {
  #next: number;
  #updates: EntryUpdate[] = [];

  constructor(firstIndex: number) {
    this.#next = firstIndex;
  }

  /** Index of the entry that would come next. */
  get next(): number {
    return this.#next;
  }

  add({ type, content, timestamp, metadata, origin, open }: NewEntry): NormalizedEntry {
    const entry: NormalizedEntry = { index: this.#next, timestamp, type, content };
    if (metadata !== undefined) entry.metadata = metadata;
    if (origin !== undefined) entry.origin = origin;
    this.#next += 1;
    this.put(entry, open);
    return entry;
  }

  put(entry: NormalizedEntry, open = false): void {
    this.#updates.push(open ? { op: 'put', entry, open } : { op: 'put', entry });
  }

  append(index: number, text: string): void {
    this.#updates.push({ op: 'append', index, text });
  }

  take(): readonly EntryUpdate[] {
    const taken = this.#updates;
    this.#updates = [];
    return taken;
  }
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** The line's own time where it carries a valid one, else its arrival (epoch milliseconds), in ISO 8601. */
export function timeOf(own: unknown, arrival: number): string {
  if (typeof own === 'string' && isoDate.test(own) && !Number.isNaN(Date.parse(own))) return own;
  return new Date(Math.abs(arrival) <= 8.64e15 ? arrival : 0).toISOString();
}
