import * as z from 'zod';
import type { JsonObject } from '../../../model/text/json.ts';
import { isObject } from '../../../model/text/json.ts';
import { field, idOf, nonEmpty } from '../../shared/guards.ts';
import type { CodexItem } from '../wire.ts';

/**
 * The JSON-RPC of `codex app-server`, without the `jsonrpc` field. Only this folder knows it. Vitrine's own requests have ids
 * with their method (`turn/start:3`), so that an answer alone shows which request it is for.
 */
export type ServerMessage =
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'answer'; readonly id: string; readonly method: string; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: string; readonly method: string; readonly message: string };

export type RequestId = string | number;

const ownId = /^([a-z]+(?:\/[A-Za-z]+)*):\d+$/;

export function ownRequestId(method: string, number: number): string {
  return `${method}:${number}`;
}

/** `undefined`: not a message of the app-server. */
export function serverMessage(value: JsonObject): ServerMessage | undefined {
  const { method, id } = value;
  const params = isObject(value['params']) ? value['params'] : {};
  if (typeof method === 'string') {
    if (id === undefined) return { kind: 'notification', method, params };
    return isRequestId(id) ? { kind: 'request', id, method, params } : undefined;
  }
  const asked = typeof id === 'string' ? ownId.exec(id)?.[1] : undefined;
  if (typeof id !== 'string' || asked === undefined) return undefined;
  const { error, result } = value;
  if (error !== undefined) {
    const message = nonEmpty(field(error, 'message')) ?? 'The app-server gave no reason.';
    return { kind: 'error', id, method: asked, message };
  }
  return { kind: 'answer', id, method: asked, result: isObject(result) ? result : {} };
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** Answers of the requests that the dialogue sends. */
export const threadAnswer = z.looseObject({ thread: z.looseObject({ id: z.string().min(1) }) });
export const turnAnswer = z.looseObject({ turn: z.looseObject({ id: z.string().min(1) }) });
export const loadedThreadsAnswer = z.looseObject({ data: z.array(z.string()) });
export const turnsAnswer = z.looseObject({
  data: z.array(z.looseObject({ id: z.string().min(1), status: z.string() })),
});
export const configAnswer = z.looseObject({ config: z.looseObject({ approval_policy: z.unknown() }) });

/** `turn/started` and `turn/completed`. */
export const turnNotice = z.looseObject({
  threadId: z.string(),
  turn: z.looseObject({ id: z.string(), status: z.string() }),
});

/** `CodexErrorInfo` says more than the message only in its HTTP status, which the message has too. */
export function turnErrorText(error: unknown): string | undefined {
  const message = nonEmpty(field(error, 'message'));
  const details = nonEmpty(field(error, 'additionalDetails'));
  return message !== undefined && details !== undefined ? `${message} (${details})` : (message ?? details);
}

/** An item in the form of `codex exec --json`: its names with underscores. */
export function execItem(item: unknown): CodexItem | undefined {
  const type = nonEmpty(field(item, 'type'));
  if (!isObject(item) || type === undefined) return undefined;
  const fields = withUnderscores(item);
  const name = type === 'collabAgentToolCall' ? 'collab_tool_call' : toSnakeCase(type);
  return { id: idOf(item['id']), type: name, fields: { ...fields, ...specialFields(name, item), type: name } };
}

function specialFields(type: string, item: JsonObject): JsonObject {
  switch (type) {
    case 'command_execution':
      return { aggregated_output: item['aggregatedOutput'] ?? '' };
    case 'mcp_tool_call':
      return isObject(item['result']) ? { result: withUnderscores(item['result']) } : {};
    case 'collab_tool_call':
      return { tool: toSnakeCase(nonEmpty(item['tool']) ?? 'collab_tool_call') };
    case 'reasoning': {
      const { summary, content } = item;
      return { text: undefined, content: Array.isArray(summary) && summary.length > 0 ? undefined : content };
    }
    default:
      return {};
  }
}

export function withUnderscores(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toSnakeCase(name), member]));
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
