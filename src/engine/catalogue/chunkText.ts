import zlib from 'node:zlib';

/** How a database packs its texts. Every process that opens it can read them. */
export type TextPacking = 'zstd' | 'deflate';

/** Texts of an entry. */
export interface EntryTexts {
  /** Index of the entry. */
  readonly index: number;
  readonly texts: readonly string[];
}

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

/** A line with the index of each entry and the lengths of its texts, and then the texts. */
export function encodeChunk(entries: readonly EntryTexts[]): Buffer {
  const header = entries.map(({ index, texts }) => [index, ...texts.map(({ length }) => length)]);
  return Buffer.from(`${JSON.stringify(header)}\n${entries.map(({ texts }) => texts.join('')).join('')}`);
}

export function packChunk(encoded: Buffer, packing: TextPacking): Uint8Array {
  if (packing === 'deflate') return zlib.deflateRawSync(encoded, { level: deflateLevel });
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: zstdLevel };
  // With the size, Zstandard uses small tables.
  return zlib.zstdCompressSync(encoded, { params, pledgedSrcSize: encoded.length });
}

/** Texts by index of their entry. @throws Error if the chunk is damaged */
export function unpackChunk(packed: Uint8Array): Map<number, readonly string[]> {
  const text = unpackText(packed).toString('utf8');
  const end = text.indexOf('\n');
  const header: unknown = JSON.parse(text.slice(0, end));
  const chunk = new Map<number, readonly string[]>();
  let at = end + 1;
  for (const entry of arrayOf(header)) {
    const [index, ...lengths] = arrayOf(entry);
    const texts = lengths.map((length) => text.slice(at, (at += Number(length))));
    if (typeof index === 'number') chunk.set(index, texts);
  }
  return chunk;
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
