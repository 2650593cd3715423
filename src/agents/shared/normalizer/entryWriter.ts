import type { EntryType, EntryUpdate, NormalizedEntry, Origin } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';

export interface NewEntry {
  readonly type: EntryType;
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
  readonly origin?: Origin;
  readonly open?: boolean;
}

/** Most lines of a stream change nothing. */
const nothing: readonly EntryUpdate[] = [];

/** Numbers entries and collects the updates of one push. */
export class EntryWriter {
  #nextIndex: number;
  #updates: EntryUpdate[] | undefined;
  /** First arrival times of texts that are streaming, by index. */
  readonly #firstParts = new Map<number, string>();

  constructor(firstIndex: number) {
    this.#nextIndex = firstIndex;
  }

  /** Index of the next entry. */
  get nextIndex(): number {
    return this.#nextIndex;
  }

  add({ type, content, timestamp, metadata, origin, open }: NewEntry): NormalizedEntry {
    const entry: NormalizedEntry = { index: this.#nextIndex, timestamp, type, content };
    if (metadata !== undefined) entry.metadata = metadata;
    if (origin !== undefined) entry.origin = origin;
    this.#nextIndex += 1;
    this.put(entry, open);
    return entry;
  }

  put(entry: NormalizedEntry, open = false): void {
    if (isText(entry)) this.#trackTime(entry, open);
    this.#add(open ? { op: 'put', entry, open } : { op: 'put', entry });
  }

  #trackTime(entry: NormalizedEntry, open: boolean): void {
    const { index, timestamp } = entry;
    const first = this.#firstParts.get(index);
    if (open) {
      if (first === undefined) this.#firstParts.set(index, timestamp);
      return;
    }
    this.#firstParts.delete(index);
    if (first !== undefined && first !== timestamp) entry.metadata = { ...entry.metadata, startedAt: first };
  }

  append(index: number, text: string): void {
    this.#add({ op: 'append', index, text });
  }

  /** Most lines change one thing, so a list of one is enough. */
  #add(update: EntryUpdate): void {
    if (this.#updates === undefined) this.#updates = [update];
    else this.#updates.push(update);
  }

  /** Number of waiting updates. */
  get waiting(): number {
    return this.#updates?.length ?? 0;
  }

  /** Removes and returns the waiting updates after the first `count`. */
  updatesSince(count: number): readonly EntryUpdate[] {
    return this.#updates?.slice(count) ?? nothing;
  }

  take(): readonly EntryUpdate[] {
    const taken = this.#updates ?? nothing;
    this.#updates = undefined;
    return taken;
  }
}

function isText({ type }: NormalizedEntry): boolean {
  return type.kind === 'assistant_message' || type.kind === 'thinking';
}

const isoDate =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** Times of entries in ISO 8601. */
export class Clock {
  #arrival = Number.NaN;
  #arrivalText = '';

  /** The line's own time if valid, else its arrival (epoch milliseconds). */
  time(own: unknown, arrival: number): string {
    return typeof own === 'string' && isoDate.test(own) ? own : this.arrivalTime(arrival);
  }

  /** Lines arrive in chunks: those of one chunk share their time. */
  arrivalTime(arrival: number): string {
    if (arrival !== this.#arrival) {
      this.#arrival = arrival;
      this.#arrivalText = new Date(Math.abs(arrival) <= 8.64e15 ? arrival : 0).toISOString();
    }
    return this.#arrivalText;
  }
}
