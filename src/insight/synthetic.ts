import type { NormalizedEntry } from '../model/entry.ts';

/** Whether a trigger wrote this message. Only `true` says so: everything else, and nothing, means a person. */
export function isSynthetic({ type, metadata }: Pick<NormalizedEntry, 'type' | 'metadata'>): boolean {
  return type.kind === 'user_message' && metadata?.synthetic === true;
}
