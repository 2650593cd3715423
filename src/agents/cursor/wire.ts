import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { TokenUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, field, nonEmpty, objects, text } from '../shared/guards.ts';

/**
 * The JSON of `cursor-agent -p --output-format stream-json`, from its documentation and public logs. Only this file knows it.
 * A field of an unexpected type is ignored; the rest of the line counts.
 */

/** The text of a message: its text blocks, joined. `undefined`: it has none. */
export function messageText(message: JsonObject): string | undefined {
  const content = field(message['message'], 'content');
  if (typeof content === 'string') return content;
  const parts = objects(content).flatMap((block) => (block['type'] === 'text' ? [text(block['text']) ?? ''] : []));
  return parts.length === 0 ? undefined : parts.join('');
}

/** Content of a message that is not text. */
export function otherBlocks(message: JsonObject): JsonObject[] {
  return objects(field(message['message'], 'content')).filter((block) => block['type'] !== 'text');
}

/** A piece of a streamed text has a time and no request id; complete messages differ in one of them. */
export function isPiece(message: JsonObject): boolean {
  return typeof message['timestamp_ms'] === 'number' && message['model_call_id'] === undefined;
}

/** ISO 8601 time of the line, if it has a valid one. */
export function timeOfMessage(message: JsonObject): string | undefined {
  const at = parseAmount(message['timestamp_ms']);
  return at === undefined || at > 8.64e15 ? undefined : new Date(at).toISOString();
}

export interface ToolCallLine {
  readonly id: string | undefined;
  readonly isComplete: boolean;
  /** `read`, `shell`, … or the name of a function. */
  readonly kind: string;
  readonly args: unknown;
  readonly result: unknown;
}

/** `{"tool_call":{"readToolCall":{"args":…,"result":…}}}` or `{"tool_call":{"function":{"name":…,"arguments":…}}}`. */
export function toolCallLine(message: JsonObject): ToolCallLine | undefined {
  const call = message['tool_call'];
  if (!isObject(call)) return undefined;
  const id = nonEmpty(message['call_id']);
  const isComplete = message['subtype'] === 'completed';
  const key = Object.keys(call).find((name) => name.endsWith('ToolCall'));
  if (key !== undefined) {
    const detail = call[key];
    const kind = key.slice(0, -'ToolCall'.length);
    return { id, isComplete, kind, args: field(detail, 'args'), result: field(detail, 'result') };
  }
  const named = isObject(call['function']) ? call['function'] : call;
  const kind = nonEmpty(named['name']);
  if (kind === undefined) return undefined;
  return { id, isComplete, kind, args: argumentsOf(named['arguments'] ?? named['args']), result: named['result'] };
}

/** A function's arguments are JSON in a text. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const usage: TokenUsage = {};
  const set = (kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite', tokens: number | undefined): void => {
    if (tokens !== undefined) usage[kind] = tokens;
  };
  set('input', count(value['inputTokens']));
  set('output', count(value['outputTokens']));
  set('cacheRead', count(value['cacheReadTokens']));
  set('cacheWrite', count(value['cacheWriteTokens']));
  return Object.keys(usage).length === 0 ? null : usage;
}

/** Claude Code, which has the same format, lists its tools at the beginning. */
export function isOwnLine(message: JsonObject): boolean {
  if (message['type'] === 'system') return message['subtype'] === 'init' && message['tools'] === undefined;
  return message['type'] === 'tool_call';
}
