import type { EntryType, Origin } from './entry.ts';

/** What of an entry, or of what a page knows of one, says who wrote it. */
interface Written {
  readonly type: Pick<EntryType, 'kind'>;
  readonly metadata?: { readonly synthetic?: unknown } | undefined;
  readonly origin?: Origin | undefined;
}

/** Whether metadata marks an automatic message. Only `true` does; anything else means a person. */
export function isMarkedSynthetic(metadata: Written['metadata']): boolean {
  return metadata?.synthetic === true;
}

/** Whether a trigger, or the end of a child session, wrote this message. */
export function isSynthetic({ type, metadata }: Pick<Written, 'type' | 'metadata'>): boolean {
  return type.kind === 'user_message' && isMarkedSynthetic(metadata);
}

/** Who caused a message. By what wrote it, never by its text; what is marked is no person's whatever else it says. */
export function originOf({ origin, metadata }: Pick<Written, 'origin' | 'metadata'>): Origin {
  if (isMarkedSynthetic(metadata) && (origin === undefined || origin === 'human')) return 'follow_up';
  return origin ?? 'human';
}
