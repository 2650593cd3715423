import { codePoints, utf16Offsets } from '../../model/text/codePoints.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { Citation, Trajectory } from '../../model/transcript/metadata.ts';
import { writtenBy, type WrittenBy } from '../writtenBy.ts';
import { jsonArray } from './shared/jsonText.ts';
import type { Exporter, ExportSource } from './shared/source.ts';
import { thinkingTextOf, toolInput } from './shared/toolFields.ts';

interface AcpPart {
  readonly name?: string;
  readonly content_type: string;
  readonly content?: string;
  readonly content_encoding?: 'plain';
  readonly metadata?: Citation | Trajectory;
  /** In the first part of an automatic message. The protocol permits additional fields. */
  readonly vitrine?: WrittenBy;
}

interface AcpMessage {
  readonly role: string;
  readonly parts: readonly AcpPart[];
  readonly created_at: string | null;
  readonly completed_at: string | null;
}

/** Messages of the Agent Communication Protocol: a JSON array with one message per entry. */
export const acp: Exporter = {
  write: (source) => jsonArray(messages(source)),
};

async function* messages(source: ExportSource): AsyncGenerator<AcpMessage> {
  const role = `agent/${(source.summary.executor_type ?? 'agent').replaceAll(/[^\w-]/g, '-')}`;
  for await (const entry of source.entries()) yield messageOf(entry, role);
}

function messageOf(entry: NormalizedEntry, agentRole: string): AcpMessage {
  const { type } = entry;
  const role = speakerOf(entry) ?? agentRole;
  const created = timeOf(entry.timestamp);
  const base = { created_at: created, completed_at: created };
  switch (type.kind) {
    case 'user_message':
      return { ...base, role: 'user', parts: markAuthor(textParts(entry), writtenBy(entry)) };
    case 'assistant_message':
      return { ...base, role, parts: textParts(entry) };
    case 'error':
      return { ...base, role, parts: textParts(entry, type.error.message) };
    case 'system_message':
      return { ...base, role: 'agent/vitrine', parts: textParts(entry) };
    case 'thinking':
      return {
        ...base,
        role,
        parts: [step(stepOfCitation(entry) ?? { kind: 'trajectory', message: thinkingTextOf(entry) })],
      };
    case 'tool_use': {
      const { tool } = type;
      const output: JsonObject | undefined =
        tool.result === undefined && tool.status === 'success' ? undefined : { status: tool.status, ...tool.result };
      return {
        role,
        created_at: timeOf(tool.startedAt) ?? created,
        completed_at: timeOf(tool.endedAt) ?? created,
        parts: [
          step(
            stepOfCitation(entry) ?? {
              kind: 'trajectory',
              message: entry.content === '' ? null : entry.content,
              tool_name: tool.toolName,
              tool_input: { ...toolInput(tool) },
              ...(output !== undefined && { tool_output: { ...output } }),
            },
          ),
        ],
      };
    }
  }
}

/** Author of an imported message. */
function speakerOf({ metadata }: NormalizedEntry): string | undefined {
  const role = metadata?.['role'];
  return typeof role === 'string' && /^agent(?:\/[\w-]+)?$/.test(role) ? role : undefined;
}

function markAuthor([first, ...others]: readonly AcpPart[], by: WrittenBy): AcpPart[] {
  if (first === undefined) return [];
  return [Object.keys(by).length === 0 ? first : { ...first, vitrine: by }, ...others];
}

/** The step as reported by the agent. */
function stepOfCitation({ metadata }: NormalizedEntry): Trajectory | undefined {
  return metadata?.annotations?.find((annotation) => annotation.kind === 'trajectory');
}

/** A step is metadata only; text is in parts with content. */
function step(metadata: Trajectory): AcpPart {
  return { content_type: 'text/plain', content: '', content_encoding: 'plain', metadata };
}

/**
 * Splits text into parts with at most one metadata object each. A single object is attached to the whole text.
 * Otherwise, each object is attached to the part with its range, and its range is relative to that part. If ranges
 * overlap, the later object gets a part without content, with its range relative to the text so far.
 */
function textParts(entry: NormalizedEntry, text = entry.content): AcpPart[] {
  const annotations = entry.metadata?.annotations ?? [];
  const [only, ...others] = annotations;
  const isPart = only?.kind === 'trajectory' && typeof only.start_index === 'number';
  if (only !== undefined && others.length === 0 && text !== '' && !isPart) return [plainPart(text, only)];
  const length = codePoints(text);
  const placed: { from: number; to: number; metadata: Citation | Trajectory }[] = [];
  const separate: (Citation | Trajectory)[] = [];
  const sorted = [...annotations].sort((a, b) => (a.start_index ?? 0) - (b.start_index ?? 0));
  for (const metadata of sorted) {
    const { start_index: from, end_index: to } = metadata;
    const inText = typeof from === 'number' && typeof to === 'number' && from < to && to <= length;
    if (inText && from >= (placed.at(-1)?.to ?? 0)) placed.push({ from, to, metadata });
    else separate.push(metadata);
  }

  const cuts = utf16Offsets(
    text,
    placed.flatMap(({ from, to }) => [from, to]),
  );
  const parts: AcpPart[] = [];
  let at = 0;
  for (const [index, { from, to, metadata }] of placed.entries()) {
    const start = cuts[index * 2] ?? at;
    const end = cuts[index * 2 + 1] ?? start;
    if (start > at) parts.push(plainPart(text.slice(at, start)));
    parts.push(plainPart(text.slice(start, end), citationInPart(metadata, to - from)));
    at = end;
  }
  if (at < text.length || parts.length === 0) parts.push(plainPart(text.slice(at)));
  return [
    ...parts,
    ...separate.map((metadata): AcpPart => ({ content_type: 'text/plain', content_encoding: 'plain', metadata })),
  ];
}

/** In the protocol, a step has no range: its part defines it. */
function citationInPart(metadata: Citation | Trajectory, length: number): Citation | Trajectory {
  if (metadata.kind === 'citation') return { ...metadata, start_index: 0, end_index: length };
  const { kind, message, tool_name, tool_input, tool_output } = metadata;
  return {
    kind,
    ...(message !== undefined && { message }),
    ...(tool_name !== undefined && { tool_name }),
    ...(tool_input !== undefined && { tool_input }),
    ...(tool_output !== undefined && { tool_output }),
  };
}

function plainPart(content: string, metadata?: Citation | Trajectory): AcpPart {
  return { content_type: 'text/plain', content, content_encoding: 'plain', ...(metadata && { metadata }) };
}

/** Time in the protocol's format; `null` if invalid. */
function timeOf(time: string | undefined): string | null {
  const at = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
