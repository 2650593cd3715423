import type { LineOf } from '../../formats/record.ts';
import { hashesOf } from './chain.ts';
import { headFile, readHead } from './head.ts';

/** Type of the decision that keeps, for whoever verifies later, that lines which were durable once are gone. */
export const endMissing = 'end_missing';

/**
 * What a writer has to say first that goes on with a record whose end is missing: else the new end would stand as the old one.
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
