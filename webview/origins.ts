import type { Origin } from '../src/model/entry.ts';
import type { PageEntry } from '../src/protocol/messages.ts';

/** Who caused a message. By what wrote it, never by its text; what a trigger marked is no person's whatever else it says. */
export function originOf({ origin, metadata }: PageEntry): Origin {
  if (metadata?.synthetic === true && (origin === undefined || origin === 'human')) return 'follow_up';
  return origin ?? 'human';
}

/** Written by a trigger: only `true` says so. */
export function isSynthetic({ type, metadata }: PageEntry): boolean {
  return type.kind === 'user_message' && metadata?.synthetic === true;
}

/** A message to the agent that no person wrote. What an earlier conversation held is a person's own, played back. */
export function isAutonomous(entry: PageEntry): boolean {
  if (entry.type.kind !== 'user_message') return false;
  const origin = originOf(entry);
  return origin !== 'human' && origin !== 'replay';
}
