import type { MessageUsage } from '../../../model/usage/facts.ts';
import { isObject } from '../../../model/text/json.ts';
import { tokenKinds } from '../../../model/usage/tokenKinds.ts';
import type { ModelUsage, TokenUsage } from '../../../model/usage/usage.ts';
import { parseAmount, count, field, nonEmpty } from '../../shared/guards.ts';

/** Messages with separate usage. Further ones are only in the agent's totals. */
const maxMessages = 20_000;
/** Entries per message. */
const maxEntries = 100;

/** Tokens as the Messages API counts them. */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const written = value['cache_creation'];
  const hour = count(field(written, 'ephemeral_1h_input_tokens'));
  const minutes = count(field(written, 'ephemeral_5m_input_tokens'));
  // Some servers print a total beside the parts.
  const parts = hour === undefined && minutes === undefined ? undefined : (hour ?? 0) + (minutes ?? 0);
  return presentTokens({
    input: value['input_tokens'],
    output: value['output_tokens'],
    cacheRead: value['cache_read_input_tokens'],
    cacheWrite: value['cache_creation_input_tokens'] ?? parts,
    cacheWrite1h: hour,
    reasoning: field(value['output_tokens_details'], 'thinking_tokens'),
    webSearches: field(value['server_tool_use'], 'web_search_requests'),
  });
}

/** Terms that change the price of a request, by their names in price tables. */
export function termsOf(usage: unknown): string[] {
  const speed = nonEmpty(field(usage, 'speed'))?.toLowerCase();
  const tier = nonEmpty(field(usage, 'service_tier'))?.toLowerCase();
  const geo = nonEmpty(field(usage, 'inference_geo'))?.toLowerCase();
  const code = count(field(field(usage, 'server_tool_use'), 'code_execution_requests')) ?? 0;
  return [
    ...[speed, tier].flatMap((term) => (term === undefined || usualTiers.has(term) ? [] : [term])),
    ...(geo === undefined || unspecificRegions.has(geo) ? [] : [`geo:${geo}`]),
    ...(code > 0 ? ['code_execution'] : []),
  ];
}

const usualTiers = new Set(['standard', 'default', 'auto', 'normal']);
const unspecificRegions = new Set(['global', 'not_available']);

/** A result's counters by model. */
export function modelUsage(value: unknown): ModelUsage[] {
  if (!isObject(value)) return [];
  const models: ModelUsage[] = [];
  for (const [model, counters] of Object.entries(value)) {
    if (!isObject(counters)) continue;
    const usage: ModelUsage = {
      model,
      ...presentTokens({
        input: counters['inputTokens'],
        output: counters['outputTokens'],
        cacheRead: counters['cacheReadInputTokens'],
        cacheWrite: counters['cacheCreationInputTokens'],
        cacheWrite1h: counters['cacheCreationEphemeral1hInputTokens'],
        reasoning: counters['thinkingTokens'],
        webSearches: counters['webSearchRequests'],
      }),
    };
    const usd = parseAmount(counters['costUSD']);
    const contextWindow = count(counters['contextWindow']);
    if (usd !== undefined) usage.usd = usd;
    if (contextWindow !== undefined) usage.contextWindow = contextWindow;
    models.push(usage);
  }
  return models;
}

function presentTokens(values: Readonly<Record<keyof TokenUsage, unknown>>): TokenUsage {
  const saved: TokenUsage = {};
  for (const kind of tokenKinds) {
    const tokens = count(values[kind]);
    if (tokens !== undefined) saved[kind] = tokens;
  }
  // At most the total that it is part of.
  if (saved.cacheWrite1h !== undefined) saved.cacheWrite1h = Math.min(saved.cacheWrite1h, saved.cacheWrite ?? 0);
  return saved;
}

interface ReportedUsage {
  readonly messageId: string;
  readonly model: string | null;
  readonly parentCallId: string | null;
  readonly usage: unknown;
  /** The line says how the message ended, so its figures are final. */
  readonly isFinal: boolean;
}

/** Usage by model response. A response has several lines, most of them with placeholders. */
export class MessageUsages {
  readonly #byId = new Map<string, MessageUsage>();
  /** Their list, while none changes. */
  #cachedList: readonly MessageUsage[] | undefined;
  #omittedCount = 0;

  addUsage({ messageId, model, parentCallId, usage, isFinal }: ReportedUsage): void {
    const before = this.#byId.get(messageId);
    if (before?.settled === true && !isFinal) return;
    if (before === undefined && this.#byId.size >= maxMessages) {
      this.#omittedCount += 1;
      return;
    }
    // The other lines of a response repeat the figures of its first.
    if (before?.settled === isFinal && before.usage.output === field(usage, 'output_tokens')) return;
    const tokens = tokenUsage(usage);
    if (tokens === null) return;
    const terms = [...new Set([...(before?.terms ?? []), ...termsOf(usage)])];
    this.#put({
      messageId,
      model: model ?? before?.model ?? null,
      usage: before === undefined ? tokens : { ...before.usage, ...tokens },
      parentCallId: parentCallId ?? before?.parentCallId ?? null,
      settled: isFinal || before?.settled === true,
      ...(terms.length > 0 && { terms }),
      ...(before?.entries !== undefined && { entries: before.entries }),
    });
  }

  /** An entry has text of the response, or one of its calls. */
  addEntry(messageId: string, index: number): void {
    const message = this.#byId.get(messageId);
    const { entries = [] } = message ?? {};
    if (message === undefined || entries.length >= maxEntries || entries.includes(index)) return;
    this.#put({ ...message, entries: [...entries, index] });
  }

  /** Responses beyond the limit. */
  get left(): number {
    return this.#omittedCount;
  }

  all(): readonly MessageUsage[] {
    return (this.#cachedList ??= [...this.#byId.values()]);
  }

  #put(message: MessageUsage): void {
    this.#byId.set(message.messageId, message);
    this.#cachedList = undefined;
  }
}
