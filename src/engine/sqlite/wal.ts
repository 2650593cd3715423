import { open, type FileHandle } from 'node:fs/promises';

/**
 * Applies the committed changes of a write-ahead log to a copy of its database. SQLite itself would need locks and a
 * `-shm` file next to the database. Format: https://www.sqlite.org/fileformat2.html#walformat.
 */

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Frames per read. */
const batchFrames = 64;

export interface WalFold {
  /** Number of pages written to the copy. */
  readonly pages: number;
  /** The log is truncated or damaged; the rest is not in the copy. */
  readonly isTorn: boolean;
}

interface WalHeader {
  readonly pageSize: number;
  readonly littleEndian: boolean;
  readonly salts: bigint;
  readonly sum: Checksum;
}

type Checksum = readonly [number, number];

/** Identifies a generation of the log; `undefined` if there is no valid log. */
export async function walGeneration(path: string): Promise<string | undefined> {
  const handle = await open(path, 'r');
  try {
    const header = await readHeader(handle);
    return header === undefined ? undefined : header.salts.toString(16);
  } finally {
    await handle.close();
  }
}

/** Applies the log at `walPath` to the database at `copyPath`, which then needs no log. */
export async function foldWal(walPath: string, copyPath: string): Promise<WalFold> {
  const wal = await open(walPath, 'r');
  try {
    const copy = await open(copyPath, 'r+');
    try {
      const header = await readHeader(wal);
      const committed = header === undefined ? { isTorn: true, pages: undefined } : await committedPages(wal, header);
      if (header !== undefined && committed.pages !== undefined) await writePages(wal, copy, header, committed.pages);
      await leaveWalMode(copy);
      return { pages: committed.pages?.offsets.size ?? 0, isTorn: committed.isTorn };
    } finally {
      await copy.close();
    }
  } finally {
    await wal.close();
  }
}

async function readHeader(wal: FileHandle): Promise<WalHeader | undefined> {
  const bytes = Buffer.alloc(headerBytes);
  const { bytesRead } = await wal.read(bytes, 0, headerBytes, 0);
  const magic = bytes.readUInt32BE(0);
  if (bytesRead < headerBytes || (magic & 0xff_ff_ff_fe) >>> 0 !== 0x37_7f_06_82) return undefined;
  const littleEndian = (magic & 1) === 0;
  const pageSize = bytes.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  const sum = checksum([0, 0], bytes, 0, 24, littleEndian);
  if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28)) return undefined;
  return { pageSize, littleEndian, salts: bytes.readBigUInt64BE(16), sum };
}

interface CommittedPages {
  /** Offset of the newest committed version of each page, by page number. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Number of pages in the database after the last commit. */
  readonly databasePages: number;
}

async function committedPages(
  wal: FileHandle,
  { pageSize, littleEndian, salts, sum: first }: WalHeader,
): Promise<{ readonly isTorn: boolean; readonly pages: CommittedPages | undefined }> {
  const frameBytes = frameHeaderBytes + pageSize;
  const buffer = Buffer.alloc(frameBytes * batchFrames);
  const offsets = new Map<number, number>();
  let pending: [page: number, offset: number][] = [];
  let databasePages: number | undefined;
  let sum = first;
  let position = headerBytes;
  const result = (isTorn: boolean) => ({
    isTorn,
    pages: databasePages === undefined ? undefined : { offsets, databasePages },
  });
  for (;;) {
    const read = await readFully(wal, buffer, position);
    for (let at = 0; at + frameBytes <= read; at += frameBytes) {
      // Frames of an earlier generation, with other salts, may follow: SQLite overwrites the log from the start.
      if (buffer.readBigUInt64BE(at + 8) !== salts) return result(false);
      sum = checksum(sum, buffer, at, 8, littleEndian);
      sum = checksum(sum, buffer, at + frameHeaderBytes, pageSize, littleEndian);
      if (sum[0] !== buffer.readUInt32BE(at + 16) || sum[1] !== buffer.readUInt32BE(at + 20)) return result(true);
      const page = buffer.readUInt32BE(at);
      if (page === 0) return result(true);
      pending.push([page, position + at + frameHeaderBytes]);
      const committed = buffer.readUInt32BE(at + 4);
      if (committed === 0) continue;
      for (const [number, offset] of pending) offsets.set(number, offset);
      pending = [];
      databasePages = committed;
    }
    if (read < buffer.length) return result(read % frameBytes !== 0 || pending.length > 0);
    position += read;
  }
}

async function writePages(
  wal: FileHandle,
  copy: FileHandle,
  { pageSize }: WalHeader,
  { offsets, databasePages }: CommittedPages,
): Promise<void> {
  const page = Buffer.alloc(pageSize);
  for (const [number, offset] of offsets) {
    if (number > databasePages) continue;
    await readFully(wal, page, offset);
    await copy.write(page, 0, pageSize, (number - 1) * pageSize);
  }
  await copy.truncate(databasePages * pageSize);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(databasePages);
  await copy.write(size, 0, 4, 28);
}

/** Marks the copy as a database without a log; otherwise SQLite would look for one. */
async function leaveWalMode(copy: FileHandle): Promise<void> {
  const { size } = await copy.stat();
  if (size < 100) return;
  await copy.write(Buffer.from([1, 1]), 0, 2, 18);
  const counter = Buffer.alloc(4);
  await copy.read(counter, 0, 4, 24);
  await copy.write(counter, 0, 4, 92);
}

async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await handle.read(buffer, read, buffer.length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read;
}

function checksum([a, b]: Checksum, bytes: Buffer, from: number, length: number, littleEndian: boolean): Checksum {
  let s0 = a;
  let s1 = b;
  for (let at = from; at < from + length; at += 8) {
    const x0 = littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    const x1 = littleEndian ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4);
    s0 = (s0 + x0 + s1) >>> 0;
    s1 = (s1 + x1 + s0) >>> 0;
  }
  return [s0, s1];
}
