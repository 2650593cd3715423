import type { ListingView } from '../pack/packedRecord.ts';
import { chainStart, hashesOf, hashOfLine, linkOf } from './hashChain.ts';
import { headFile, readHead } from './chainHead.ts';
import { recordFile } from '../layout.ts';
import { linesOf, readAt } from '../read/windows.ts';
import type { LineOf } from '../../../formats/record.ts';

/** Type of the decision that notes, for later verification, that durable lines are missing. */
export const endMissing = 'end_missing';

/**
 * The note that a writer must add before it continues a record with a missing end, so that the new end does not hide
 * the loss; `null` if nothing is missing. `last`: hash of the last line. Reads the record only if this is not the saved
 * hash.
 */
export async function missingEnd(
  folder: string,
  file: string,
  last: string | null,
  at: string,
): Promise<LineOf<'decision'> | null> {
  const head = await readHead(headFile(folder));
  if (head === null || head.hash === last) return null;
  // After a crash, lines may follow the last durable one.
  for await (const hash of hashesOf(file)) if (hash === head.hash) return null;
  return { kind: 'decision', decision: { type: endMissing, at, hash: head.hash, durable_at: head.at } };
}

/** Bytes at the end of a record; listing reads the same amount. */
const endBytes = 32 * 1024;
const cutMark = Buffer.from(`{"kind":"decision","decision":{"type":"${endMissing}"`);

/**
 * Whether the end of a record is damaged: a cheap check for lists, limited to the last 32 KiB. Reads the whole record
 * only if its end does not contain the last durable line.
 * @throws file system errors
 */
export async function hasDamagedEnd({ handle, isWhole }: ListingView, folder: string): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const from = Math.max(0, size - endBytes);
  const bytes = await readAt(handle, from, size - from);
  const first = from === 0 ? 0 : bytes.indexOf(10) + 1;
  const whole = bytes.subarray(first);
  // A single line is longer than that, so there is no cheap answer.
  if (first === 0 && from > 0) return false;
  if (bytes.at(-1) !== 10) return true;
  const lines = [...linesOf(whole)].map(({ start, end }) => whole.subarray(start, end));
  const links = lines.map(linkOf);
  // Earlier versions had no hash chain.
  if (links.every((link) => link === null)) return false;
  const hashes = lines.map(hashOfLine);
  const isLinked = links.every((link, at) => {
    const before = at > 0 ? hashes[at - 1] : from === 0 && isWhole ? chainStart : link;
    return link === before || (link === null && !links.slice(0, at).some((earlier) => earlier !== null));
  });
  if (!isLinked || lines.some((line) => line.subarray(0, cutMark.length).equals(cutMark))) return true;
  const head = await readHead(headFile(folder));
  if (head === null || hashes.includes(head.hash)) return false;
  if (from === 0 && isWhole) return true;
  for await (const hash of hashesOf(recordFile(folder))) if (hash === head.hash) return false;
  return true;
}
