import type { NormalizedEntry } from '../model/entry.ts';
import type { NormalizedEntryMetadata } from '../model/metadata.ts';

/** Whether metadata says that a trigger wrote it. Only `true` says so: everything else, and nothing, means a person. */
export function isMarkedSynthetic(metadata: NormalizedEntryMetadata | undefined): boolean {
  return metadata?.synthetic === true;
}

/** Whether a trigger wrote this message. */
export function isSynthetic({ type, metadata }: Pick<NormalizedEntry, 'type' | 'metadata'>): boolean {
  return type.kind === 'user_message' && isMarkedSynthetic(metadata);
}
