import * as z from 'zod';
import { bytesOf, utf8 } from '../../model/text/bytes.ts';
import { citationWithoutText, citationInContent, MessageMap } from '../../model/transcript/citations.ts';
import { codePoints } from '../../model/text/codePoints.ts';
import type { EntryType, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Citation, Trajectory } from '../../model/transcript/metadata.ts';
import { readWrittenBy } from '../writtenBy.ts';
import { entryOfStep } from './acpSteps.ts';
import { metadataOf } from './citations.ts';

const partSchema = z.looseObject({
  name: z.string().nullish(),
  content_type: z.string().nullish(),
  content: z.string().nullish(),
  content_encoding: z.string().nullish(),
  content_url: z.string().nullish(),
  metadata: z.unknown().optional(),
  /** Vitrine's extension: author of the message. */
  vitrine: z.unknown().optional(),
});
type Part = z.infer<typeof partSchema>;

/** A message of the Agent Communication Protocol, as far as it is used here. */
export const acpMessageSchema = z.looseObject({
  role: z.string().default('user'),
  parts: z.array(partSchema),
  created_at: z.string().nullish(),
  completed_at: z.string().nullish(),
});
export type AcpMessage = z.infer<typeof acpMessageSchema>;

type NewEntry = Omit<NormalizedEntry, 'index'>;

/** Role of Vitrine's own messages. */
const ownRole = 'agent/vitrine';

/**
 * Entries for a message, starting at index `first`: its text, then a step per trajectory. Drops nothing: parts other
 * than text get a placeholder, and unknown metadata is kept. Metadata names the author. `otherwise` (ISO 8601): time of
 * messages without one.
 */
export function entriesOfMessage(message: AcpMessage, first: number, otherwise: string): NormalizedEntry[] {
  const { role } = message;
  const speaker = role === 'user' || role === ownRole ? undefined : { role };
  return partsOf(message, otherwise).map(({ type, metadata, ...entry }, at) => {
    const index = first + at;
    // The protocol has no call ids.
    const named: EntryType =
      type.kind === 'tool_use' ? { ...type, tool: { ...type.tool, callId: `step-${index}` } } : type;
    const marks = speaker === undefined ? metadata : { ...speaker, ...metadata };
    return { index, ...entry, type: named, ...(marks !== undefined && { metadata: marks }) };
  });
}

function partsOf(message: AcpMessage, otherwise: string): NewEntry[] {
  const timestamp = message.created_at ?? otherwise;
  const endedAt = message.completed_at;
  const text: string[] = [];
  const citations: (() => Citation | Trajectory)[] = [];
  const after: NewEntry[] = [];
  const map = new MessageMap<'message'>();
  let points = 0;
  for (const part of message.parts) {
    const ownText = textOf(part);
    const shown = ownText === '' ? nameOf(part) : ownText;
    const length = codePoints(shown);
    const at = points;
    points += length;
    if (shown !== '') map.addEntry('message');
    // A named part is an artifact, not text of the message.
    if (ownText !== '' && (part.name ?? '') === '') map.addText('message', at, length, 0);
    for (const metadata of metadataOf(part.metadata)) {
      if (metadata.kind === 'trajectory') {
        const { step } = metadata;
        if (shown === '') after.push(entryOfStep(step, { timestamp, endedAt }));
        // It stays with the part that it was attached to.
        else citations.push(() => (length === points ? step : { ...step, start_index: at, end_index: at + length }));
      } else if (metadata.kind === 'other') after.push(unknownMetadata(metadata.value, timestamp));
      else {
        const { given } = metadata;
        citations.push(() =>
          shown === ''
            ? (map.place(given, true)?.citation ?? citationWithoutText(given))
            : citationInContent(given, at, length),
        );
      }
    }
    text.push(shown);
  }
  const content = text.join('');
  if (content === '' && citations.length === 0 && after.length > 0) return after;
  const { origin, metadata: marks } = message.role === 'user' ? writerOf(message) : {};
  const said: NewEntry = {
    timestamp,
    type: typeOf(message.role),
    content,
    ...(message.role === 'user' && { origin }),
    ...((citations.length > 0 || marks !== undefined) && {
      metadata: { ...marks, ...(citations.length > 0 && { annotations: citations.map((cited) => cited()) }) },
    }),
  };
  return [said, ...after];
}

/** Author of a message with role `user`, and marks of a wrong type, which count as missing. */
export function writerOf({ parts }: AcpMessage): ReturnType<typeof readWrittenBy> {
  return readWrittenBy(parts[0]?.vitrine);
}

function typeOf(role: string): EntryType {
  if (role === 'user') return { kind: 'user_message' };
  return role === ownRole ? { kind: 'system_message' } : { kind: 'assistant_message' };
}

/** Content as text; empty if it is not text. */
function textOf({ content, content_type, content_encoding }: Part): string {
  if (typeof content !== 'string' || !readable.test(content_type ?? 'text/plain')) return '';
  return content_encoding === 'base64' ? utf8(bytesOf(content)) : content;
}

const readable = /^(?:text\/|application\/(?:json|xml|yaml|javascript|[\w.-]+\+(?:json|xml))\b)/i;

/** Placeholder for content other than text; empty if there is no content. */
function nameOf({ name, content, content_type, content_url: url }: Part): string {
  const type = content_type ?? 'text/plain';
  if (typeof url === 'string') return `[${name ?? type}](${url})`;
  if (typeof content !== 'string' || (content === '' && readable.test(type))) return '';
  return `[${name ?? 'attachment'}, ${type}, ${content.length} characters]`;
}

function unknownMetadata(metadata: unknown, timestamp: string): NewEntry {
  return {
    timestamp,
    type: { kind: 'system_message', subtype: 'unknown' },
    content: 'Unknown metadata type.',
    metadata: { raw: JSON.stringify(metadata) },
  };
}
