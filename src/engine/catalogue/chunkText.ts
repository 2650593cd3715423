import zlib from 'node:zlib';

/** How a database packs its texts. Every process that opens it can read them. */
export type TextPacking = 'zstd' | 'deflate';

/** Texts of an entry. */
export interface EntryTexts {
  /** Index of the entry. */
  readonly index: number;
  readonly texts: readonly string[];
}

const lineFeed = 10;
/** First bytes of a Zstandard frame. */
const zstdMagic = 0xfd2fb528;
/** The next level takes 40% longer and saves 1%. */
const zstdLevel = 3;
/** The default level takes 50% longer and saves 7%. */
const deflateLevel = 3;
/** In bytes, more than most chunks contain, so that they are unpacked at once. */
const unpackBytes = 48 * 1024;

/** Whether this runtime can pack with Zstandard. */
export function hasZstd(): boolean {
  return 'zstdCompressSync' in zlib;
}

/** Chunks are encoded here. Used again for each. */
let encoding = Buffer.alloc(256 * 1024);

/**
 * A line with the index of each entry and the lengths of its texts, and then the texts. The result is valid until the next
 * chunk is encoded.
 */
export function encodeChunk(entries: readonly EntryTexts[]): Buffer {
  const header = entries.map(({ index, texts }) => [index, ...texts.map(({ length }) => length)]);
  const line = `${JSON.stringify(header)}\n`;
  const characters = header.reduce((sum, [, ...lengths]) => lengths.reduce((all, length) => all + length, sum), 0);
  const most = line.length + 3 * characters;
  if (encoding.length < most) encoding = Buffer.alloc(most);
  let at = encoding.write(line, 'latin1');
  for (const { texts } of entries) for (const text of texts) at += encoding.write(text, at);
  return encoding.subarray(0, at);
}

export function packChunk(encoded: Buffer, packing: TextPacking): Uint8Array {
  if (packing === 'deflate') return zlib.deflateRawSync(encoded, { level: deflateLevel });
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: zstdLevel };
  // With the size, Zstandard uses small tables.
  return zlib.zstdCompressSync(encoded, { params, pledgedSrcSize: encoded.length });
}

/** The texts of an unpacked chunk. */
export class ChunkTexts {
  readonly #bytes: Buffer;
  /** Byte at which the texts begin. */
  readonly #start: number;
  /** For each entry: offset in the texts and the lengths of its own, in characters. */
  readonly #places = new Map<number, { readonly from: number; readonly lengths: readonly number[] }>();
  readonly #isAscii: boolean;
  #text: string | undefined;

  /** @throws Error if the chunk is damaged */
  constructor(packed: Uint8Array) {
    this.#bytes = unpackText(packed);
    this.#start = this.#bytes.indexOf(lineFeed) + 1;
    const header: unknown = JSON.parse(this.#bytes.toString('latin1', 0, this.#start));
    let from = 0;
    for (const entry of arrayOf(header)) {
      const [index, ...lengths] = arrayOf(entry).map(Number);
      if (index === undefined) continue;
      this.#places.set(index, { from, lengths });
      from = lengths.reduce((sum, length) => sum + length, from);
    }
    // Every other character takes more bytes.
    this.#isAscii = this.#bytes.length - this.#start === from;
  }

  /** Indexes of the entries. */
  get indexes(): number[] {
    return [...this.#places.keys()];
  }

  /** Texts of the entry with that index; `undefined` if it is not in the chunk. */
  of(index: number): readonly string[] | undefined {
    const place = this.#places.get(index);
    if (place === undefined) return undefined;
    let at = place.from;
    return place.lengths.map((length) => this.#slice(at, (at += length)));
  }

  #slice(from: number, to: number): string {
    if (this.#isAscii) return this.#bytes.toString('latin1', this.#start + from, this.#start + to);
    this.#text ??= this.#bytes.toString('utf8', this.#start);
    return this.#text.slice(from, to);
  }
}

/** Size of the unpacked texts in bytes. @throws Error if the chunk is damaged */
export function textBytesOf(packed: Uint8Array): number {
  const text = unpackText(packed);
  return text.length - text.indexOf('\n') - 1;
}

function unpackText(packed: Uint8Array): Buffer {
  const isZstd = packed.length > 4 && new DataView(packed.buffer, packed.byteOffset).getUint32(0, true) === zstdMagic;
  const options = { chunkSize: unpackBytes };
  return isZstd ? zlib.zstdDecompressSync(packed, options) : zlib.inflateRawSync(packed, options);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
