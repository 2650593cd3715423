import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';

export interface Note {
  readonly subtype: string;
  readonly content: string;
  /** In addition to the metadata of every entry. */
  readonly metadata?: NormalizedEntryMetadata;
}
