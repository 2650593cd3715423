/**
 * The words of a stretch of one session's entries, in one piece of memory that is used as it lies in the file: searching
 * parses and copies nothing. Little-endian:
 *
 *     magic, length of the header      2 × u32
 *     header                           JSON, padded with spaces to a multiple of 4
 *     index and length of each entry   2 × u32 each
 *     where each term begins           (terms + 1) × u32, from the beginning of the terms
 *     where its postings begin         (terms + 1) × u32, from the beginning of the postings
 *     in how many entries it is        terms × u32
 *     terms                            UTF-8, in the order of their bytes
 *     postings                         pairs of varints: distance to the entry before, times it occurs
 */
import * as z from 'zod';

export const magic = 0x31_53_56_0a;
const count = z.number().int().nonnegative();

const headerSchema = z.object({
  version: z.literal(1),
  session: z.string(),
  /** Which state of the record it was made of. */
  stamp: z.string(),
  docs: count,
  terms: count,
  /** Bytes of the terms and of the postings. */
  termBytes: count,
  postingBytes: count,
});
export type Header = z.infer<typeof headerSchema>;

/** Begins every term that is no word of a text: what kind of entry it is, its tool, its files, how it ended, whether no person wrote it. */
const fieldMark = '\u0001';
export type Field = 'kind' | 'tool' | 'file' | 'state' | 'synthetic';
export function fieldTerm(field: Field, value: string): string {
  return `${fieldMark}${field}:${value}`;
}

/** Of messages that no person wrote. */
export const syntheticTerm = fieldTerm('synthetic', 'true');

/** A segment to look things up in. */
export class Segment {
  readonly bytes: number;
  readonly session: string;
  readonly stamp: string;
  readonly docs: number;
  readonly #buffer: Buffer;
  readonly #header: Header;
  readonly #docsAt: number;
  readonly #termStarts: number;
  readonly #postingStarts: number;
  readonly #counts: number;
  readonly #terms: number;
  readonly #postings: number;

  private constructor(buffer: Buffer, header: Header, at: number) {
    this.#buffer = buffer;
    this.#header = header;
    this.bytes = buffer.length;
    this.session = header.session;
    this.stamp = header.stamp;
    this.docs = header.docs;
    this.#docsAt = at;
    this.#termStarts = at + header.docs * 8;
    this.#postingStarts = this.#termStarts + (header.terms + 1) * 4;
    this.#counts = this.#postingStarts + (header.terms + 1) * 4;
    this.#terms = this.#counts + header.terms * 4;
    this.#postings = this.#terms + header.termBytes;
  }

  /** `undefined` for anything that is not a whole segment of this version. */
  static read(buffer: Buffer): Segment | undefined {
    if (buffer.length < 8 || buffer.readUInt32LE(0) !== magic) return undefined;
    const at = 8 + buffer.readUInt32LE(4);
    const header = headerOf(buffer.toString('utf8', 8, at));
    if (header === undefined) return undefined;
    const segment = new Segment(buffer, header, at);
    return segment.#postings + header.postingBytes === buffer.length ? segment : undefined;
  }

  entryOf(doc: number): number {
    return this.#buffer.readUInt32LE(this.#docsAt + doc * 8);
  }

  lengthOf(doc: number): number {
    return this.#buffer.readUInt32LE(this.#docsAt + doc * 8 + 4);
  }

  term(at: number): string {
    const [from, to] = this.#span(at);
    return this.#buffer.toString('utf8', from, to);
  }

  /** Entries that hold it. */
  count(at: number): number {
    return this.#buffer.readUInt32LE(this.#counts + at * 4);
  }

  /** Terms that begin with `prefix`, from and to before. */
  beginningWith(prefix: string): readonly [number, number] {
    const wanted = Buffer.from(prefix);
    return [this.#first(wanted, 0), this.#first(wanted, 1)];
  }

  /** The place of a term, or -1. */
  exactly(term: string): number {
    const wanted = Buffer.from(term);
    const at = this.#first(wanted, 0);
    if (at >= this.#header.terms) return -1;
    const [from, to] = this.#span(at);
    return this.#buffer.compare(wanted, 0, wanted.length, from, to) === 0 ? at : -1;
  }

  each(at: number, take: (doc: number, times: number) => void): void {
    const begin = this.#postings + this.#buffer.readUInt32LE(this.#postingStarts + at * 4);
    const end = this.#postings + this.#buffer.readUInt32LE(this.#postingStarts + (at + 1) * 4);
    let doc = 0;
    let value = 0;
    let shift = 0;
    let isTimes = false;
    for (let place = begin; place < end; place += 1) {
      const byte = this.#buffer[place] ?? 0;
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte > 127) continue;
      if (isTimes) take(doc, value);
      else doc += value;
      isTimes = !isTimes;
      value = 0;
      shift = 0;
    }
  }

  #span(at: number): [number, number] {
    return [
      this.#terms + this.#buffer.readUInt32LE(this.#termStarts + at * 4),
      this.#terms + this.#buffer.readUInt32LE(this.#termStarts + (at + 1) * 4),
    ];
  }

  /** The first term that is not before `wanted` (`past` 0), or not before everything that begins with it (`past` 1). */
  #first(wanted: Buffer, past: 0 | 1): number {
    let low = 0;
    let high = this.#header.terms;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [from, to] = this.#span(middle);
      const order = this.#buffer.compare(
        wanted,
        0,
        wanted.length,
        from,
        past === 1 ? Math.min(to, from + wanted.length) : to,
      );
      // `order` is -1 where the term stands before what is wanted.
      if (order === -1 || (past === 1 && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function headerOf(text: string): Header | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
