import type { Origin } from '../../src/model/transcript/entry.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';

/** Who caused a message. */
export function originOf({ origin }: PageEntry): Origin {
  return origin ?? 'human';
}

/** An automatic message to the agent. What an earlier conversation held is a person's own, played back. */
export function isAutonomous(entry: PageEntry): boolean {
  if (entry.type.kind !== 'user_message') return false;
  const origin = originOf(entry);
  return origin !== 'human' && origin !== 'replay';
}
