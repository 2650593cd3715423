import type { FileHandle } from 'node:fs/promises';
import { recordVersion } from '../../../formats/record.ts';
import { readLine } from './readLine.ts';
import { readAt } from './windows.ts';

const headerBytes = 4096;

/** Format version if the record is from a newer Vitrine; `null` if this version can read and write it. */
export async function newerVersionOf(handle: FileHandle, size: number): Promise<number | null> {
  const bytes = await readAt(handle, 0, Math.min(size, headerBytes));
  const end = bytes.indexOf(10);
  const [header] = readLine(end < 0 ? bytes : bytes.subarray(0, end), 0).found;
  return header?.line?.kind === 'header' && header.line.version > recordVersion ? header.line.version : null;
}
