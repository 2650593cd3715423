import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';

/** Minimal messages in Claude Code's format. */
export const session_id = 'sess-1';
export const init = { type: 'system', subtype: 'init', session_id, tools: ['Read'], mcp_servers: [], model: 'model-a' };
export const success = { type: 'result', subtype: 'success', is_error: false, session_id };

export const assistant = (id: string, ...content: unknown[]) => ({
  type: 'assistant',
  message: { id, model: 'model-a', content },
  session_id,
});
export const text = (content: string) => ({ type: 'text', text: content });
export const call = (id: string, name = 'Bash', input: unknown = { command: 'ls' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const result = (id: string, content: unknown, extra: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...extra }] },
  session_id,
});
export const event = (inner: object) => ({ type: 'stream_event', event: inner, session_id });
export const started = (id: string, content: unknown[] = []) =>
  event({ type: 'message_start', message: { id, model: 'model-a', content } });
export const delta = (index: number, content: string) =>
  event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: content } });

export const kinds = (entries: readonly NormalizedEntry[]): string[] => entries.map(short);

/** `kind`, with details that distinguish entries of the same kind. */
function short({ type, origin }: NormalizedEntry): string {
  if (type.kind === 'system_message') return `system_message ${type.subtype ?? ''}`;
  if (type.kind === 'tool_use') return `tool_use ${type.tool.callId} ${type.tool.status}`;
  if (type.kind === 'error') return `error ${type.error.code ?? ''}`;
  return origin === undefined ? type.kind : `${type.kind} ${origin}`;
}
