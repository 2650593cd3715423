import { bytesOf, utf8 } from '../../model/text/bytes.ts';
import { givenCitation, metadataKind, type GivenCitation } from '../../model/transcript/citations.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { Trajectory } from '../../model/transcript/metadata.ts';
import { limitDepth, bytesText } from '../shared/bounds.ts';
import { field, list, nonEmpty, objects, text } from '../shared/guards.ts';
import { base64Bytes } from '../shared/resultText.ts';

/**
 * Events of the Agent Communication Protocol 0.2 as a server sends them, one JSON object each. Only this file knows them. A
 * field of an unexpected type is ignored; the rest of the event counts.
 */

export interface RunInfo {
  readonly runId: string | undefined;
  readonly sessionId: string | undefined;
  readonly agentName: string | undefined;
  readonly error: ErrorInfo | undefined;
  /** What the run waits for; absent if it does not wait. */
  readonly awaits: JsonObject | undefined;
  /** Every message of the run so far. */
  readonly output: readonly JsonObject[];
}

export function runInfo(value: unknown): RunInfo {
  const run: JsonObject = isObject(value) ? value : {};
  return {
    runId: nonEmpty(run['run_id']),
    sessionId: nonEmpty(run['session_id']),
    agentName: nonEmpty(run['agent_name']),
    error: isObject(run['error']) ? errorInfo(run['error']) : undefined,
    awaits: isObject(run['await_request']) ? run['await_request'] : undefined,
    output: objects(run['output']),
  };
}

export interface ErrorInfo {
  readonly code: string | undefined;
  readonly message: string;
}

export function errorInfo(value: unknown): ErrorInfo {
  const error: JsonObject = isObject(value) ? value : {};
  const message = nonEmpty(error['message']) ?? 'The agent failed and gave no reason.';
  return { code: nonEmpty(error['code']), message };
}

export interface Part {
  readonly name: string | undefined;
  readonly contentType: string;
  /** Content as text; `undefined` if there is none that can be shown. */
  readonly text: string | undefined;
  /** Size of content that is not text. */
  readonly bytes: number | undefined;
  readonly url: string | undefined;
  readonly citations: readonly GivenCitation[];
  readonly trajectories: readonly Trajectory[];
  /** Metadata of an unknown kind, or with fields that are not shown. */
  readonly hasOtherMetadata: boolean;
}

export function partOf(part: JsonObject): Part {
  const contentType = nonEmpty(part['content_type']) ?? 'text/plain';
  const { content: value } = part;
  // Always a text in the protocol.
  const content =
    value === undefined || value === null ? undefined : (text(value) ?? JSON.stringify(limitDepth(value)));
  const base64 = part['content_encoding'] === 'base64';
  const readable = isReadable(contentType);
  const allMetadata = metadataOf(part['metadata']);
  const metadata = allMetadata.filter(isObject);
  return {
    name: nonEmpty(part['name']),
    contentType,
    text: content === undefined || !readable ? undefined : base64 ? utf8(bytesOf(content)) : content,
    bytes: content === undefined || readable ? undefined : base64 ? base64Bytes(content) : content.length,
    url: nonEmpty(part['content_url']),
    citations: metadata.filter((record) => metadataKind(record) === 'citation').map(givenCitation),
    trajectories: metadata.filter((record) => metadataKind(record) === 'trajectory').map(trajectory),
    hasOtherMetadata: !allMetadata.every(isKnown),
  };
}

function isReadable(contentType: string): boolean {
  return /^(?:text\/|application\/(?:json|xml|yaml|javascript|[\w.-]+\+(?:json|xml))\b)/i.test(contentType);
}

/** One object in the protocol; some agents send several. */
function metadataOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? list(value) : [value];
}

/** Whether all of it is shown. */
function isKnown(metadata: unknown): boolean {
  const kind = isObject(metadata) ? metadataKind(metadata) : undefined;
  const isWhole = (value: unknown): boolean => value === undefined || value === null || isObject(limitDepth(value));
  return (
    kind === 'citation' ||
    (kind === 'trajectory' && isWhole(field(metadata, 'tool_input')) && isWhole(field(metadata, 'tool_output')))
  );
}

function trajectory(value: JsonObject): Trajectory {
  const found: Trajectory = { kind: 'trajectory' };
  for (const key of ['message', 'tool_name'] as const) {
    const own = text(value[key]);
    if (own !== undefined) found[key] = own;
  }
  for (const key of ['tool_input', 'tool_output'] as const) {
    const own = limitDepth(value[key]);
    if (isObject(own)) found[key] = own;
  }
  return found;
}

/** Placeholder for content that is not shown: its type with its size, or its URL. */
export function attachmentText({ contentType, bytes, url, name }: Part): string {
  if (url !== undefined) return `[${name ?? contentType}](${url})`;
  return `[${[name, contentType, bytes === undefined ? undefined : bytesText(bytes)].filter((part) => part !== undefined).join(', ')}]`;
}
