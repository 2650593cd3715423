import type { ForList } from '../pack/packedRecord.ts';
import { chainStart, hashesOf, hashOfLine, linkOf } from './hashChain.ts';
import { headFile, readHead } from './chainHead.ts';
import { recordFile } from '../layout.ts';
import { linesOf, readAt } from '../read/windows.ts';
import type { LineOf } from '../../../formats/record.ts';

/** Type of the decision that keeps, for whoever verifies later, that lines which were durable once are gone. */
export const endMissing = 'end_missing';

/**
 * What a writer has to say first that resumes a record whose end is missing: else the new end would stand as the old one.
 * `last`: the hash of its last line. The record is read only where that is not what was made durable last.
 */
export async function missingEnd(
  folder: string,
  file: string,
  last: string | null,
  at: string,
): Promise<LineOf<'decision'> | null> {
  const head = await readHead(headFile(folder));
  if (head === null || head.hash === last) return null;
  // A crash leaves lines behind the last one that was made durable.
  for await (const hash of hashesOf(file)) if (hash === head.hash) return null;
  return { kind: 'decision', decision: { type: endMissing, at, hash: head.hash, durable_at: head.at } };
}

/** Of the end of a record; lists read as much. */
const endBytes = 32 * 1024;
const cutMark = Buffer.from(`{"kind":"decision","decision":{"type":"${endMissing}"`);

/**
 * Whether the end of a record shows that something is missing or changed: a cheap check for lists, which does not see what
 * happened before the last 32 KiB. Reads the whole record only where its end does not hold the line that was made durable
 * last. @throws file system errors
 */
export async function hasDamagedEnd({ handle, isWhole }: ForList, folder: string): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const from = Math.max(0, size - endBytes);
  const bytes = await readAt(handle, from, size - from);
  const first = from === 0 ? 0 : bytes.indexOf(10) + 1;
  const whole = bytes.subarray(first);
  // One line is longer than that: nothing tells cheaply.
  if (first === 0 && from > 0) return false;
  if (bytes.at(-1) !== 10) return true;
  const lines = [...linesOf(whole)].map(({ start, end }) => whole.subarray(start, end));
  const links = lines.map(linkOf);
  // Earlier versions kept no chain.
  if (links.every((link) => link === null)) return false;
  const hashes = lines.map(hashOfLine);
  const isLinked = links.every((link, at) => {
    const before = at > 0 ? hashes[at - 1] : from === 0 && isWhole ? chainStart : link;
    return link === before || (link === null && !links.slice(0, at).some((each) => each !== null));
  });
  if (!isLinked || lines.some((line) => line.subarray(0, cutMark.length).equals(cutMark))) return true;
  const head = await readHead(headFile(folder));
  if (head === null || hashes.includes(head.hash)) return false;
  if (from === 0 && isWhole) return true;
  for await (const hash of hashesOf(recordFile(folder))) if (hash === head.hash) return false;
  return true;
}
