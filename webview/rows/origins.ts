import type { Origin } from '../../src/model/transcript/entry.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';

/** Who caused a message. */
export function originOf({ origin }: PageEntry): Origin {
  return origin ?? 'human';
}

/** An automatic message to the agent. Replayed messages of an earlier conversation count as a person's. */
export function isAutomatic(entry: PageEntry): boolean {
  if (entry.type.kind !== 'user_message') return false;
  const origin = originOf(entry);
  return origin !== 'human' && origin !== 'replay';
}
