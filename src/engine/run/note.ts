import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';

export interface Note {
  readonly subtype: string;
  readonly content: string;
  /** Besides what every entry has. */
  readonly metadata?: NormalizedEntryMetadata;
}
