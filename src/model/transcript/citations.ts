import type { JsonObject } from '../text/json.ts';
import type { Citation } from './metadata.ts';

/**
 * A source as reported by the agent. `start` (inclusive) and `end` (exclusive) are in code points; -1 is an invalid
 * index.
 */
export interface GivenCitation {
  /** The citation without its range. */
  readonly source: Citation;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** Kind of a part's metadata. The protocol's own library may omit the kind, which then follows from the fields. */
export function metadataKind(metadata: JsonObject): unknown {
  if (metadata['kind'] !== undefined && metadata['kind'] !== null) return metadata['kind'];
  if (['tool_name', 'tool_input', 'tool_output', 'message'].some((key) => key in metadata)) return 'trajectory';
  return ['url', 'title', 'description'].some((key) => key in metadata) ? 'citation' : undefined;
}

export function givenCitation(value: JsonObject): GivenCitation {
  const source: Citation = { kind: 'citation' };
  for (const key of ['url', 'title', 'description'] as const) {
    const text = value[key];
    if (typeof text === 'string') source[key] = text;
  }
  return { source, start: indexOf(value['start_index']), end: indexOf(value['end_index']) };
}

/** -1 for an invalid index. Ignoring it instead would make the range cover other words. */
function indexOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const index = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : -1;
}

/** An empty range: keeps the source without attributing any words to it. */
const emptyRange = { start_index: 0, end_index: 0 } as const;

/**
 * The citation of a content with `length` code points that begins at `from` in its entry. Without a range, it covers
 * all of the content.
 */
export function citationInContent({ source, start = 0, end }: GivenCitation, from: number, length: number): Citation {
  const to = Math.min(end ?? length, length);
  const isRange = start >= 0 && start < to;
  return { ...source, ...(isRange ? { start_index: from + start, end_index: from + to } : emptyRange) };
}

/** For a citation without any text. */
export function citationWithoutText({ source, start = -1, end = -1 }: GivenCitation): Citation {
  return { ...source, ...(start >= 0 && { start_index: start }), ...(end >= 0 && { end_index: end }) };
}

/** A part of the message's text that is contiguous in one entry. */
interface TextStretch<Entry> {
  readonly entry: Entry;
  /** Start of the stretch in the text of the message. */
  readonly from: number;
  /** Start of the stretch in the text of the entry. */
  readonly at: number;
  length: number;
}

export interface PlacedCitation<Entry> {
  readonly entry: Entry;
  readonly citation: Citation;
}

/**
 * Maps positions in the text of a message to entries, for citations without content of their own. If something
 * interrupted the message, its text is in several entries. All numbers are code points.
 */
export class MessageMap<Entry> {
  readonly #stretches: TextStretch<Entry>[] = [];
  /** The last stretch of each entry. */
  readonly #lastStretches = new Map<Entry, TextStretch<Entry>>();
  #length = 0;
  #newestEntry: Entry | undefined;

  /** Call for each entry with content of the message. */
  addEntry(entry: Entry): void {
    this.#newestEntry = entry;
  }

  /**
   * Adds text of the message, which begins at `at` in the entry. `joint`: number of its code points that were already
   * added.
   */
  addText(entry: Entry, at: number, length: number, joint: number): void {
    const before = this.#stretches.at(-1);
    if (before?.entry === entry && before.at + before.length === at + joint) before.length += length - joint;
    else {
      const stretch = { entry, from: this.#length, at, length };
      this.#stretches.push(stretch);
      this.#lastStretches.set(entry, stretch);
    }
    this.#length += length - joint;
  }

  /**
   * `undefined` if the cited text may still arrive, which it cannot if the message `isWhole`, or if there is no entry.
   */
  place(given: GivenCitation, isWhole: boolean): PlacedCitation<Entry> | undefined {
    const { source, start = 0, end } = given;
    const newest = this.#newestEntry;
    if (newest === undefined) return undefined;
    if (given.start === undefined && end === undefined) return { entry: newest, citation: source };
    const isRange = start >= 0 && (end === undefined || start < end);
    if (isRange && !isWhole && Math.max(start + 1, end ?? 0) > this.#length) return undefined;
    const first = isRange && start < this.#length ? this.#findStretch(start) : undefined;
    if (first === undefined) return { entry: newest, citation: { ...source, ...emptyRange } };
    const { entry } = first;
    const start_index = first.at + start - first.from;
    if (end === undefined) return { entry, citation: { ...source, start_index } };
    const last = this.#findStretch(Math.min(end, this.#length) - 1);
    const { at, from, length } = last?.entry === entry ? last : (this.#lastStretches.get(entry) ?? first);
    return { entry, citation: { ...source, start_index, end_index: at + Math.min(end - from, length) } };
  }

  /** The stretch that contains this code point of the message. */
  #findStretch(point: number): TextStretch<Entry> | undefined {
    let low = 0;
    let high = this.#stretches.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#stretches[middle]?.from ?? 0) <= point) low = middle;
      else high = middle;
    }
    return this.#stretches[low];
  }
}
