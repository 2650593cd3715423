import { isDeepStrictEqual } from 'node:util';
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { parseRecordLine } from '../../../formats/record.ts';
import { newerVersionOf } from '../read/header.ts';
import { errorCode, recordFile } from '../layout.ts';
import { nothingPacked, openUnpacked, packedForm, packFile, unpackFile, type PackedFile } from './packFile.ts';
import { readTail } from '../read/tail.ts';
import { linesOf, readAt } from '../read/windows.ts';

const summaryStart = Buffer.from('{"kind":"summary"');

/** Uncompressed copy of a packed record's end, so that listing need not unpack the record. */
function endFile(folder: string): string {
  return path.join(folder, 'record.end');
}

/**
 * Compresses a record. Requires its lease. Skips unfinished records and those of newer versions.
 * @throws file system errors
 */
export async function packRecord(folder: string, id: string): Promise<PackedFile> {
  const file = recordFile(folder);
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return nothingPacked;
  try {
    const { size, atime, mtime } = await handle.stat();
    if ((await newerVersionOf(handle, size)) !== null) return nothingPacked;
    const { state, start } = await readTail(handle, id, size, 0);
    if (state.isOpen) return nothingPacked;
    const end = await readAt(handle, start, size - start);
    await replace(endFile(folder), end, { atime, mtime });
    const saved = await open(endFile(folder), 'r');
    const lastPart = await readTail(saved, id, end.length, 0).finally(() => saved.close());
    const reported = [state, lastPart.state].map((recordState) => [
      recordState.summary(mtime.toISOString()),
      recordState.turns,
      recordState.turnsOmitted,
    ]);
    // If the end is not enough for listing, lists unpack the record instead.
    if (!isDeepStrictEqual(reported[0], reported[1])) await rm(endFile(folder));
  } finally {
    await handle.close();
  }
  return await packFile(file);
}

/** Unpacks a record for writing. @throws file system errors, Error if it is damaged */
export async function unpackRecord(folder: string): Promise<void> {
  const file = recordFile(folder);
  const savedSize = await sizeOf(file);
  if (savedSize === null && (await sizeOf(packedForm(file))) !== null) await unpackFile(file);
  // Remains of an interrupted archiving are obsolete.
  else if (savedSize !== null) await rm(packedForm(file), { force: true });
  if ((await sizeOf(endFile(folder))) !== null) await rm(endFile(folder));
}

/** Whether the record is packed. */
export async function isPacked(folder: string): Promise<boolean> {
  return (await sizeOf(recordFile(folder))) === null;
}

/** Size and time of the record, packed or not. @throws file system errors */
export async function statRecord(folder: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const file = recordFile(folder);
  return await stat(file).catch(async (missing: unknown) => {
    if (errorCode(missing) !== 'ENOENT') throw missing;
    return await stat(packedForm(file)).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? missing : error;
    });
  });
}

/** The part of a record that listing needs. `isWhole` is false if only the end of a packed record was opened. */
export interface ListingView {
  readonly handle: FileHandle;
  readonly isWhole: boolean;
}

/** @throws file system errors */
export async function openForList(folder: string): Promise<ListingView> {
  const file = recordFile(folder);
  if ((await sizeOf(file)) !== null) return { handle: await open(file, 'r'), isWhole: true };
  const end = await open(endFile(folder), 'r').catch(() => null);
  if (end !== null && (await hasListFields(end).catch(() => false))) return { handle: end, isWhole: false };
  await end?.close();
  return { handle: await openUnpacked(file), isWhole: true };
}

/**
 * Offset of the first line in which the copied end differs from the packed record; `null` if they agree or there is no
 * copy.
 * @throws file system errors
 */
export async function findWrongEnd(folder: string, record: FileHandle): Promise<number | null> {
  const savedEnd = await readFile(endFile(folder)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (savedEnd === null) return null;
  const { size } = await record.stat();
  const start = Math.max(0, size - savedEnd.length);
  const own = await readAt(record, Math.max(0, start - 1), size - start + 1);
  const end = start === 0 ? own : own.subarray(1);
  const beginsLine = start === 0 || own[0] === 10;
  if (savedEnd.length > 0 && beginsLine && end.equals(savedEnd)) return null;
  const commonLength = savedEnd.length > end.length ? 0 : commonStart(savedEnd, end);
  return start + end.subarray(0, commonLength).lastIndexOf(10) + 1;
}

/** Whether it has whole lines with a summary. */
async function hasListFields(end: FileHandle): Promise<boolean> {
  const bytes = await readAt(end, 0, (await end.stat()).size);
  if (bytes.at(-1) !== 10) return false;
  const lines = [...linesOf(bytes)].map(({ start, end: stop }) => bytes.subarray(start, stop));
  return lines.some((line) => line.subarray(0, summaryStart.length).equals(summaryStart) && isSummary(line));
}

function isSummary(line: Buffer): boolean {
  const { value } = parseRecordLine(line.toString('utf8'));
  return value?.kind === 'summary';
}

function commonStart(a: Buffer, b: Buffer): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

async function sizeOf(file: string): Promise<number | null> {
  const stats = await stat(file).catch((error: unknown) => {
    // ENOTDIR: a file has the place of the folder.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  });
  return stats?.size ?? null;
}

async function replace(file: string, bytes: Buffer, times: { atime: Date; mtime: Date }): Promise<void> {
  const handle = await open(`${file}.next`, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.utimes(times.atime, times.mtime);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.next`, file);
}
