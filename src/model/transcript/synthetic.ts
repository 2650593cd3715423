import type { EntryType, Origin } from './entry.ts';

/** The fields of an entry, or of its form on the page, that say who wrote it. */
interface AuthoredEntry {
  readonly type: Pick<EntryType, 'kind'>;
  readonly metadata?: { readonly synthetic?: unknown } | undefined;
  readonly origin?: Origin | undefined;
}

/** Whether metadata marks an automatic message. Only `true` does; anything else means a person. */
export function isMarkedSynthetic(metadata: AuthoredEntry['metadata']): boolean {
  return metadata?.synthetic === true;
}

/** Whether a trigger, or the end of a child session, wrote this message. */
export function isSynthetic({ type, metadata }: Pick<AuthoredEntry, 'type' | 'metadata'>): boolean {
  return type.kind === 'user_message' && isMarkedSynthetic(metadata);
}

/** Who caused a message. Depends on what wrote it, never on its text; a mark overrides everything else. */
export function originOf({ origin, metadata }: Pick<AuthoredEntry, 'origin' | 'metadata'>): Origin {
  if (isMarkedSynthetic(metadata) && (origin === undefined || origin === 'human')) return 'follow_up';
  return origin ?? 'human';
}
