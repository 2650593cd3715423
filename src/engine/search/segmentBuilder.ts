import { type Header, magic } from './segment.ts';

/** Collects entries, in index order, and becomes a segment. */
export class SegmentBuilder {
  readonly #docs: number[] = [];
  readonly #postings = new Map<string, number[]>();
  /** What it grew to, in postings. */
  size = 0;

  get isEmpty(): boolean {
    return this.#docs.length === 0;
  }

  /** `words` with how often each occurs; `fields` as `fieldTerm` gives them. `length` in words. */
  add(index: number, length: number, words: ReadonlyMap<string, number>, fields: readonly string[]): void {
    const doc = this.#docs.length / 2;
    this.#docs.push(index, length);
    for (const [word, times] of words) this.#put(word, doc, times);
    for (const field of fields) this.#put(field, doc, 1);
  }

  #put(term: string, doc: number, times: number): void {
    const list = this.#postings.get(term);
    if (list === undefined) this.#postings.set(term, [doc, times]);
    else list.push(doc, times);
    this.size += 1;
  }

  build(session: string, stamp: string): Buffer {
    const terms = [...this.#postings].map(([term, list]) => ({ term: Buffer.from(term), list }));
    terms.sort((a, b) => Buffer.compare(a.term, b.term));
    const postings = varints(terms.map(({ list }) => list));
    const termBytes = terms.reduce((sum, { term }) => sum + term.length, 0);
    const header: Header = {
      version: 1,
      session,
      stamp,
      docs: this.#docs.length / 2,
      terms: terms.length,
      termBytes,
      postingBytes: postings.bytes.length,
    };
    const text = Buffer.from(padded(JSON.stringify(header)));
    const numbers = new Uint32Array([
      ...this.#docs,
      ...starts(terms.map(({ term }) => term.length)),
      ...postings.starts,
      ...terms.map(({ list }) => list.length / 2),
    ]);
    const table = Buffer.alloc(numbers.length * 4);
    numbers.forEach((number, at) => table.writeUInt32LE(number, at * 4));
    const head = Buffer.alloc(8);
    head.writeUInt32LE(magic, 0);
    head.writeUInt32LE(text.length, 4);
    return Buffer.concat([head, text, table, ...terms.map(({ term }) => term), postings.bytes]);
  }
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(Buffer.byteLength(text) / 4) * 4 + text.length - Buffer.byteLength(text));
}

function starts(lengths: readonly number[]): number[] {
  const all = [0];
  for (const length of lengths) all.push((all.at(-1) ?? 0) + length);
  return all;
}

function varints(lists: readonly (readonly number[])[]): { bytes: Buffer; starts: number[] } {
  const pairs = lists.reduce((sum, list) => sum + list.length, 0);
  // No number takes more than five bytes.
  const bytes = Buffer.alloc(pairs * 5);
  const begins = [0];
  let at = 0;
  const put = (value: number): void => {
    let left = value;
    while (left > 127) {
      bytes[at++] = (left & 127) | 128;
      left >>>= 7;
    }
    bytes[at++] = left;
  };
  for (const list of lists) {
    let before = 0;
    for (let pair = 0; pair < list.length; pair += 2) {
      const doc = list[pair] ?? 0;
      put(doc - before);
      put(list[pair + 1] ?? 1);
      before = doc;
    }
    begins.push(at);
  }
  return { bytes: bytes.subarray(0, at), starts: begins };
}
