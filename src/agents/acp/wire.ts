import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { ModelUsage, TokenUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, field, nonEmpty, objects, text } from '../shared/guards.ts';

/**
 * JSON-RPC messages of the Agent Client Protocol, versions 1 and 2, as an agent prints them. Only this file knows them. A
 * field of an unexpected type is ignored; the rest of the message counts.
 */

export type RpcMessage =
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'request'; readonly method: string; readonly id: string; readonly params: JsonObject }
  | { readonly kind: 'answer'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError };

export interface RpcError {
  readonly code: number | undefined;
  readonly message: string;
  /** Further details in `data`, if that is a text. */
  readonly details: string | undefined;
  /** The agent's own word for what went wrong. */
  readonly errorKind: string | undefined;
  /** The conversation that the error is about. */
  readonly sessionId: string | undefined;
}

export function rpcMessage(line: JsonObject): RpcMessage | undefined {
  const method = nonEmpty(line['method']);
  const id = line['id'];
  if (method !== undefined) {
    const params = isObject(line['params']) ? line['params'] : {};
    if (id === undefined || id === null) return { kind: 'notification', method, params };
    return { kind: 'request', method, id: String(typeof id === 'number' ? id : (text(id) ?? '')), params };
  }
  if (line['jsonrpc'] === undefined && id === undefined) return undefined;
  if (isObject(line['error'])) return { kind: 'error', error: rpcError(line['error']) };
  if ('result' in line) return { kind: 'answer', result: line['result'] };
  return undefined;
}

export function rpcError(error: JsonObject): RpcError {
  const data = error['data'];
  const code = error['code'];
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined,
    message: nonEmpty(error['message']) ?? 'The agent reported an error without a message.',
    details: nonEmpty(data) ?? nonEmpty(field(data, 'details')) ?? nonEmpty(field(data, 'message')),
    errorKind: nonEmpty(field(data, 'errorKind')),
    sessionId: nonEmpty(field(data, 'sessionId')),
  };
}

/** A content block as text for people; `undefined` for an unknown kind. */
export function contentText(block: unknown): string | undefined {
  switch (field(block, 'type')) {
    case 'text':
      return text(field(block, 'text'));
    case 'image':
    case 'audio': {
      const kind = nonEmpty(field(block, 'type')) ?? '';
      return `[${[kind, nonEmpty(field(block, 'mimeType'))].filter((part) => part !== undefined).join(' ')}]`;
    }
    case 'resource_link':
      return link(nonEmpty(field(block, 'title')) ?? nonEmpty(field(block, 'name')), nonEmpty(field(block, 'uri')));
    case 'resource': {
      const resource = field(block, 'resource');
      return text(field(resource, 'text')) ?? link(undefined, nonEmpty(field(resource, 'uri')));
    }
    default:
      return undefined;
  }
}

function link(name: string | undefined, uri: string | undefined): string {
  if (uri === undefined) return `[resource${name === undefined ? '' : ` ${name}`}]`;
  return `[${name ?? uri}](${uri})`;
}

/** The texts of a list of content blocks. */
export function contentsText(blocks: unknown): string {
  return objects(blocks)
    .map((block) => contentText(block) ?? '')
    .join('');
}

export interface Settings {
  readonly model: string | undefined;
  readonly mode: string | undefined;
}

/** Model and mode from an answer to a session request, or from a list of options. */
export function settingsOf(value: JsonObject): Settings {
  const options = objects(value['configOptions']);
  const selected = (name: string): string | undefined => {
    const option =
      options.find((candidate) => candidate['category'] === name) ??
      options.find((candidate) => candidate['id'] === name);
    return nonEmpty(option?.['currentValue']);
  };
  // `models` combines model and effort, for agents that have both.
  const model = selected('model') ?? nonEmpty(field(value['models'], 'currentModelId'));
  return {
    // The agent's word for "any model".
    model: model === 'default' ? undefined : model,
    mode: nonEmpty(field(value['modes'], 'currentModeId')) ?? selected('mode'),
  };
}

/** Some agents use URLs as names of modes. */
export function shortMode(mode: string): string {
  return mode.slice(mode.lastIndexOf('#') + 1) || mode;
}

const names = {
  input: ['inputTokens', 'input_tokens'],
  output: ['outputTokens', 'output_tokens'],
  cacheRead: ['cachedReadTokens', 'cachedInputTokens', 'cached_input_tokens'],
  cacheWrite: ['cachedWriteTokens', 'cacheWriteInputTokens', 'cached_write_tokens'],
  reasoning: ['thoughtTokens', 'reasoningOutputTokens', 'thought_tokens'],
  total: ['totalTokens', 'total_tokens'],
} as const;

/**
 * Tokens of a turn. Agents differ in whether input includes cached tokens and output includes thoughts; the total, which all
 * of them print, decides.
 */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const of = (kind: keyof typeof names): number | undefined => {
    for (const name of names[kind]) {
      const tokens = count(value[name]);
      if (tokens !== undefined) return tokens;
    }
    return undefined;
  };
  const input = of('input');
  const output = of('output');
  const total = of('total');
  // A cancelled turn is printed with zeros, which means not counted.
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const cached = (of('cacheRead') ?? 0) + (of('cacheWrite') ?? 0);
  const thoughts = of('reasoning') ?? 0;
  const plain = (input ?? 0) + (output ?? 0);
  const cacheInInput = cached > 0 && (total === plain || total === plain + thoughts) && (input ?? 0) >= cached;
  const counted = plain + (cacheInInput ? 0 : cached);
  const areThoughtsSeparate = thoughts > 0 && total === counted + thoughts;
  const usage: TokenUsage = {};
  if (input !== undefined) usage.input = cacheInInput ? input - cached : input;
  if (output !== undefined) usage.output = areThoughtsSeparate ? output + thoughts : output;
  const saved = { cacheRead: of('cacheRead'), cacheWrite: of('cacheWrite'), reasoning: of('reasoning') };
  for (const kind of ['cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const tokens = saved[kind];
    if (tokens !== undefined) usage[kind] = tokens;
  }
  return usage;
}

export interface TurnEnd {
  readonly stopReason: string;
  readonly usage: TokenUsage | null;
  /** By model, including calls outside the conversation; an extension that several agents print. */
  readonly models: readonly ModelUsage[];
}

/** The end of a turn: the answer to `session/prompt` (version 1), or a `state_update` (version 2). */
export function turnEnd(value: JsonObject): TurnEnd | undefined {
  const stopReason = nonEmpty(value['stopReason']);
  if (stopReason === undefined) return undefined;
  const quota = field(value['_meta'], 'quota');
  const models = objects(field(quota, 'model_usage')).flatMap((used): ModelUsage[] => {
    const model = nonEmpty(used['model']);
    const usage = tokenUsage(used['token_count']);
    return model === undefined || usage === null ? [] : [{ model, ...usage }];
  });
  return { stopReason, usage: tokenUsage(value['usage']) ?? tokenUsage(field(quota, 'token_count')), models };
}

export interface UsageUpdate {
  /** US dollars since the conversation began. */
  readonly usd: number | undefined;
  /** The currency of the cost, if not US dollars. */
  readonly currency: string | undefined;
  readonly contextWindow: number | undefined;
  /** Size of the context window in tokens. */
  readonly contextTokens: number | undefined;
  readonly model: string | undefined;
}

export function usageUpdate(update: JsonObject): UsageUpdate {
  const cost = update['cost'];
  const currency = nonEmpty(field(cost, 'currency'))?.toUpperCase();
  return {
    usd: currency === 'USD' ? parseAmount(field(cost, 'amount')) : undefined,
    currency: currency === 'USD' ? undefined : currency,
    contextWindow: count(update['size']),
    contextTokens: count(update['used']),
    model: nonEmpty(field(update['_meta'], '_claude/model')),
  };
}

export interface PlanEntry {
  readonly text: string;
  readonly status: unknown;
}

export function planEntries(value: unknown): PlanEntry[] {
  return objects(value).map((entry) => ({ text: text(entry['content']) ?? '', status: entry['status'] }));
}
