import { givenCitation, metadataKind, type GivenCitation } from '../../model/transcript/citations.ts';
import { isObject } from '../../model/text/json.ts';
import { trajectorySchema, type Trajectory } from '../../model/transcript/metadata.ts';

export type GivenMetadata =
  | { readonly kind: 'citation'; readonly given: GivenCitation }
  | { readonly kind: 'trajectory'; readonly step: Trajectory }
  | { readonly kind: 'other'; readonly value: unknown };

/** Metadata of a part: one object in the protocol, but some agents send several. */
export function metadataOf(value: unknown): GivenMetadata[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map((citation) => {
    if (!isObject(citation)) return { kind: 'other', value: citation };
    const kind = metadataKind(citation);
    if (kind === 'citation') return { kind, given: givenCitation(citation) };
    const step = trajectorySchema.safeParse({ ...citation, kind });
    return step.success ? { kind: 'trajectory', step: step.data } : { kind: 'other', value: citation };
  });
}
