import { isObject, type JsonObject } from '../../model/json.ts';
import { trajectorySchema, type Citation, type Trajectory } from '../../model/metadata.ts';

/** A source as a file gives it: `start` inclusive, `end` exclusive, in code points; -1 is an index that can be none. */
export interface GivenCitation {
  /** Without a range. */
  readonly source: Citation;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

export type GivenMetadata =
  | { readonly kind: 'citation'; readonly given: GivenCitation }
  | { readonly kind: 'trajectory'; readonly step: Trajectory }
  | { readonly kind: 'other'; readonly value: unknown };

/** Metadata of a part: one object in the protocol, of which some agents send several. */
export function metadataOf(value: unknown): GivenMetadata[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map((each) => {
    if (!isObject(each)) return { kind: 'other', value: each };
    const kind = kindOf(each);
    if (kind === 'citation') return { kind, given: citation(each) };
    const step = trajectorySchema.safeParse({ ...each, kind });
    return step.success ? { kind: 'trajectory', step: step.data } : { kind: 'other', value: each };
  });
}

/** The models of the protocol's own library take the kind for granted: then it is told by the fields. */
function kindOf(metadata: JsonObject): unknown {
  if (metadata['kind'] !== undefined && metadata['kind'] !== null) return metadata['kind'];
  if (['tool_name', 'tool_input', 'tool_output', 'message'].some((key) => key in metadata)) return 'trajectory';
  return ['url', 'title', 'description'].some((key) => key in metadata) ? 'citation' : undefined;
}

function citation(value: JsonObject): GivenCitation {
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

/** In a content of `length` code points; all of it where none is given. One that it cannot have is empty, for no words. */
function rangeWithin({ start = 0, end }: GivenCitation, length: number): { start_index: number; end_index: number } {
  const to = Math.min(end ?? length, length);
  return start >= 0 && start < to ? { start_index: start, end_index: to } : { start_index: 0, end_index: 0 };
}

/** The citation of a content of `length` code points that begins at `from`. */
export function citedWithin(given: GivenCitation, from: number, length: number): Citation {
  const { start_index: start, end_index: end } = rangeWithin(given, length);
  const by = end === 0 ? 0 : from;
  return { ...given.source, start_index: start + by, end_index: end + by };
}

/** For a citation without any text. */
function citedAlone({ source, start = -1, end = -1 }: GivenCitation): Citation {
  return { ...source, ...(start >= 0 && { start_index: start }), ...(end >= 0 && { end_index: end }) };
}

/** A stretch of the text that citations without content of their own count over. */
interface Stretch {
  /** Where it begins in that text, and in what is shown; code points. */
  readonly from: number;
  readonly at: number;
  length: number;
}

/** What is shown of a message, in which names of what is no text stand between its text. All figures are code points. */
export class ShownMessage {
  readonly #stretches: Stretch[] = [];
  #length = 0;
  #shown = 0;

  /** Adds what is shown of a part; gives where it begins. */
  add(points: number, isText: boolean): number {
    const at = this.#shown;
    this.#shown += points;
    if (!isText) return at;
    const before = this.#stretches.at(-1);
    if (before !== undefined && before.at + before.length === at) before.length += points;
    else this.#stretches.push({ from: this.#length, at, length: points });
    this.#length += points;
    return at;
  }

  /** A citation without content of its own, once all parts are added. */
  cited(given: GivenCitation): Citation {
    const { source, start, end } = given;
    if (this.#shown === 0) return citedAlone(given);
    if (start === undefined && end === undefined) return source;
    const { start_index: from, end_index: to } = rangeWithin(given, this.#length);
    if (to === 0) return { ...source, start_index: 0, end_index: 0 };
    return { ...source, start_index: this.#place(from), end_index: this.#place(to - 1) + 1 };
  }

  /** Where a code point of the text is shown. */
  #place(point: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#stretches[middle]?.from ?? 0) <= point) low = middle;
      else high = middle;
    }
    const { at, from } = this.#stretches[low] ?? { at: 0, from: 0 };
    return at + point - from;
  }
}
