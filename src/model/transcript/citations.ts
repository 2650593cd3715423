import type { JsonObject } from '../text/json.ts';
import type { Citation } from './metadata.ts';

/** A source as the agent gives it: `start` inclusive, `end` exclusive, in code points; -1 is an index that can be none. */
export interface GivenCitation {
  /** Without a range. */
  readonly source: Citation;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** What metadata of a part is. The models of the protocol's own library take the kind for granted: then its fields tell. */
export function metadataKind(metadata: JsonObject): unknown {
  if (metadata['kind'] !== undefined && metadata['kind'] !== null) return metadata['kind'];
  if (['tool_name', 'tool_input', 'tool_output', 'message'].some((key) => key in metadata)) return 'trajectory';
  return ['url', 'title', 'description'].some((key) => key in metadata) ? 'citation' : undefined;
}

export function givenCitation(value: JsonObject): GivenCitation {
  const source: Citation = { kind: 'citation' };
  for (const key of ['url', 'title', 'description'] as const) {
    const given = value[key];
    if (typeof given === 'string') source[key] = given;
  }
  return { source, start: indexOf(value['start_index']), end: indexOf(value['end_index']) };
}

/** -1 for anything but an index: without it the other end of the range would be for other words. */
function indexOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const index = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : -1;
}

/** A range that no text has, so that the source is kept and no words are said to come from it. */
const nowhere = { start_index: 0, end_index: 0 } as const;

/** The citation of a content of `length` code points that begins at `from` of its entry; of all of it where no range is given. */
export function citationInContent({ source, start = 0, end }: GivenCitation, from: number, length: number): Citation {
  const to = Math.min(end ?? length, length);
  const isRange = start >= 0 && start < to;
  return { ...source, ...(isRange ? { start_index: from + start, end_index: from + to } : nowhere) };
}

/** For a citation without any text. */
export function citationWithoutText({ source, start = -1, end = -1 }: GivenCitation): Citation {
  return { ...source, ...(start >= 0 && { start_index: start }), ...(end >= 0 && { end_index: end }) };
}

/** Text of the message that stands without a gap in one entry. */
interface Stretch<Entry> {
  readonly entry: Entry;
  /** Where it begins in the text of the message. */
  readonly from: number;
  /** Where it begins in the text of the entry. */
  readonly at: number;
  length: number;
}

export interface Placed<Entry> {
  readonly entry: Entry;
  readonly citation: Citation;
}

/**
 * Where the text of one message stands, which a citation without content of its own counts over: in one entry or, where
 * something came in between, in several, and with what is shown around it. All figures are code points.
 */
export class MessageMap<Entry> {
  readonly #stretches: Stretch<Entry>[] = [];
  /** The last one of each entry. */
  readonly #ends = new Map<Entry, Stretch<Entry>>();
  #length = 0;
  #newest: Entry | undefined;

  /** This entry has content of the message, of whatever kind. */
  shows(entry: Entry): void {
    this.#newest = entry;
  }

  /** More text of the message, from `at` of the entry. `joint`: code points that it completes rather than adds. */
  text(entry: Entry, at: number, length: number, joint: number): void {
    const before = this.#stretches.at(-1);
    if (before?.entry === entry && before.at + before.length === at + joint) before.length += length - joint;
    else {
      const stretch = { entry, from: this.#length, at, length };
      this.#stretches.push(stretch);
      this.#ends.set(entry, stretch);
    }
    this.#length += length - joint;
  }

  /** `undefined`: what it is for may still come, or there is no entry at all. Where the message `isWhole`, nothing comes. */
  place(given: GivenCitation, isWhole: boolean): Placed<Entry> | undefined {
    const { source, start = 0, end } = given;
    const newest = this.#newest;
    if (newest === undefined) return undefined;
    if (given.start === undefined && end === undefined) return { entry: newest, citation: source };
    const isRange = start >= 0 && (end === undefined || start < end);
    if (isRange && !isWhole && Math.max(start + 1, end ?? 0) > this.#length) return undefined;
    const first = isRange && start < this.#length ? this.#at(start) : undefined;
    if (first === undefined) return { entry: newest, citation: { ...source, ...nowhere } };
    const { entry } = first;
    const start_index = first.at + start - first.from;
    if (end === undefined) return { entry, citation: { ...source, start_index } };
    const last = this.#at(Math.min(end, this.#length) - 1);
    const { at, from, length } = last?.entry === entry ? last : (this.#ends.get(entry) ?? first);
    return { entry, citation: { ...source, start_index, end_index: at + Math.min(end - from, length) } };
  }

  /** The stretch that has this code point of the message. */
  #at(point: number): Stretch<Entry> | undefined {
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
