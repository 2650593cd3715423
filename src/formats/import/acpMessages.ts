import * as z from 'zod';
import { codePoints } from '../../model/codePoints.ts';
import type { EntryType, NormalizedEntry } from '../../model/entry.ts';
import { citationSchema, trajectorySchema, type Citation, type Trajectory } from '../../model/metadata.ts';
import { toolStatusSchema, type ToolUse } from '../../model/tool.ts';
import { readWrittenBy } from '../writtenBy.ts';

const partSchema = z.looseObject({
  name: z.string().nullish(),
  content_type: z.string().nullish(),
  content: z.string().nullish(),
  content_encoding: z.string().nullish(),
  content_url: z.string().nullish(),
  metadata: z.unknown().optional(),
  /** Ours: who wrote the message. */
  vitrine: z.unknown().optional(),
});
type Part = z.infer<typeof partSchema>;

/** A message of the Agent Communication Protocol, with what this reads of it. */
export const acpMessageSchema = z.looseObject({
  role: z.string().default('user'),
  parts: z.array(partSchema),
  created_at: z.string().nullish(),
  completed_at: z.string().nullish(),
});
export type AcpMessage = z.infer<typeof acpMessageSchema>;

type NewEntry = Omit<NormalizedEntry, 'index'>;

/**
 * The entries that a message stands for, of which `first` is the index of the first: its text, then a step per trajectory. Nothing is dropped: a part that is no text
 * is named, and metadata that is not known is kept as it is. `otherwise` (ISO 8601) is the time of a message without one.
 */
export function entriesOfMessage(message: AcpMessage, first: number, otherwise: string): NormalizedEntry[] {
  return partsOf(message, otherwise).map(({ type, ...entry }, at) => {
    const index = first + at;
    // The protocol has no ids of calls.
    const named: EntryType =
      type.kind === 'tool_use' ? { ...type, tool: { ...type.tool, callId: `step-${index}` } } : type;
    return { index, ...entry, type: named };
  });
}

function partsOf(message: AcpMessage, otherwise: string): NewEntry[] {
  const timestamp = message.created_at ?? otherwise;
  const text: string[] = [];
  const citations: Citation[] = [];
  const after: NewEntry[] = [];
  let points = 0;
  for (const part of message.parts) {
    const shown = shownText(part);
    const citation = citationSchema.safeParse(part.metadata);
    const trajectory = trajectorySchema.safeParse(part.metadata);
    if (citation.success) citations.push(shifted(citation.data, shown === '' ? 0 : points));
    else if (trajectory.success) after.push(stepOf(trajectory.data, timestamp, message.completed_at));
    else if (part.metadata !== undefined && part.metadata !== null)
      after.push(unknownMetadata(part.metadata, timestamp));
    text.push(shown);
    points += codePoints(shown);
  }
  const content = text.join('');
  if (content === '' && citations.length === 0) return after;
  const { origin, metadata: marks } = message.role === 'user' ? writerOf(message) : {};
  const said: NewEntry = {
    timestamp,
    type: typeOf(message.role),
    content,
    ...(message.role === 'user' && { origin }),
    ...((citations.length > 0 || marks !== undefined) && {
      metadata: { ...marks, ...(citations.length > 0 && { annotations: citations }) },
    }),
  };
  return [said, ...after];
}

/** Who wrote a message of role `user`, and which of its marks have a wrong type and count as missing. */
export function writerOf({ parts }: AcpMessage): ReturnType<typeof readWrittenBy> {
  return readWrittenBy(parts[0]?.vitrine);
}

function typeOf(role: string): EntryType {
  if (role === 'user') return { kind: 'user_message' };
  return role === 'agent/vitrine' ? { kind: 'system_message' } : { kind: 'assistant_message' };
}

function shownText({ name, content, content_type, content_encoding, content_url }: Part): string {
  const type = content_type ?? 'text/plain';
  if (typeof content_url === 'string') return `[${name ?? type}](${content_url})`;
  if (typeof content !== 'string') return '';
  if (content_encoding !== 'base64' && /^(?:text\/|application\/(?:json|xml|yaml))/.test(type)) return content;
  return `[${name ?? 'attachment'}, ${type}, ${content.length} characters]`;
}

/** Ranges count over the content that they come with; without any, over the text so far. */
function shifted(citation: Citation, by: number): Citation {
  const { start_index: from, end_index: to } = citation;
  return {
    ...citation,
    ...(typeof from === 'number' && { start_index: from + by }),
    ...(typeof to === 'number' && { end_index: to + by }),
  };
}

function stepOf(step: Trajectory, timestamp: string, endedAt: string | null | undefined): NewEntry {
  const { message, tool_name: toolName, tool_input: input, tool_output: output } = step;
  if (toolName === null || toolName === undefined || toolName === '') {
    const reasoning = message ?? '';
    return { timestamp, type: { kind: 'thinking', reasoning }, content: reasoning };
  }
  const status = toolStatusSchema.safeParse(output?.['status']);
  const { text, data, isError } = output ?? {};
  const plain = output !== null && output !== undefined && !('text' in output) && !('data' in output);
  const tool: ToolUse = {
    toolName,
    callId: '',
    action: { kind: 'tool', ...(input !== null && input !== undefined && { input }) },
    ...(input !== null && input !== undefined && { input }),
    status: status.success ? status.data : output === null || output === undefined ? 'cancelled' : 'success',
    startedAt: timestamp,
    ...(typeof endedAt === 'string' && { endedAt }),
    ...(output !== null &&
      output !== undefined && {
        result:
          plain && !status.success
            ? { data: output }
            : {
                ...(typeof text === 'string' && { text }),
                ...(data !== undefined && { data }),
                ...(typeof isError === 'boolean' && { isError }),
              },
      }),
  };
  return { timestamp, type: { kind: 'tool_use', tool }, content: message ?? '' };
}

function unknownMetadata(metadata: unknown, timestamp: string): NewEntry {
  return {
    timestamp,
    type: { kind: 'system_message', subtype: 'unknown' },
    content: 'Metadata of a kind that is not known.',
    metadata: { raw: JSON.stringify(metadata) },
  };
}
