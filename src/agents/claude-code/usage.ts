import type { MessageUsage } from '../../model/facts.ts';
import { isObject } from '../../model/json.ts';
import type { ModelUsage, TokenUsage } from '../../model/usage.ts';
import { amount, count, field } from '../shared/guards.ts';

/** Messages whose usage is itemised. Further ones are in the agent's own totals only. */
export const maxMessages = 100_000;
/** Entries that are kept of one message. */
const maxEntries = 100;

/** Tokens as the Messages API counts them. */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  return present(
    value['input_tokens'],
    value['output_tokens'],
    value['cache_read_input_tokens'],
    value['cache_creation_input_tokens'],
    field(value['output_tokens_details'], 'thinking_tokens'),
    field(value['server_tool_use'], 'web_search_requests'),
  );
}

/** A result's counters by model. */
export function modelUsage(value: unknown): ModelUsage[] {
  if (!isObject(value)) return [];
  const models: ModelUsage[] = [];
  for (const [model, counters] of Object.entries(value)) {
    if (!isObject(counters)) continue;
    const usage: ModelUsage = {
      model,
      ...present(
        counters['inputTokens'],
        counters['outputTokens'],
        counters['cacheReadInputTokens'],
        counters['cacheCreationInputTokens'],
        counters['thinkingTokens'],
        counters['webSearchRequests'],
      ),
    };
    const usd = amount(counters['costUSD']);
    const contextWindow = count(counters['contextWindow']);
    if (usd !== undefined) usage.usd = usd;
    if (contextWindow !== undefined) usage.contextWindow = contextWindow;
    models.push(usage);
  }
  return models;
}

function present(
  input: unknown,
  output: unknown,
  cacheRead: unknown,
  cacheWrite: unknown,
  reasoning: unknown,
  webSearches: unknown,
): TokenUsage {
  const kept: TokenUsage = {};
  if (count(input) !== undefined) kept.input = count(input);
  if (count(output) !== undefined) kept.output = count(output);
  if (count(cacheRead) !== undefined) kept.cacheRead = count(cacheRead);
  if (count(cacheWrite) !== undefined) kept.cacheWrite = count(cacheWrite);
  if (count(reasoning) !== undefined) kept.reasoning = count(reasoning);
  if (count(webSearches) !== undefined) kept.webSearches = count(webSearches);
  return kept;
}

interface Sighting {
  readonly messageId: string;
  readonly model: string | null;
  readonly parentCallId: string | null;
  readonly usage: unknown;
  /** The line says how the message ended, so its figures are the last ones. */
  readonly settled: boolean;
}

/** Usage by model message. The same message stands on several lines, most of them with a placeholder. */
export class MessageUsages {
  readonly #byId = new Map<string, MessageUsage>();
  #left = 0;

  see({ messageId, model, parentCallId, usage, settled }: Sighting): void {
    const before = this.#byId.get(messageId);
    if (before?.settled === true && !settled) return;
    if (before === undefined && this.#byId.size >= maxMessages) {
      this.#left += 1;
      return;
    }
    // The other lines of a message repeat the figures of its first.
    if (before?.settled === settled && before.usage.output === field(usage, 'output_tokens')) return;
    const tokens = tokenUsage(usage);
    if (tokens === null) return;
    this.#byId.set(messageId, {
      messageId,
      model: model ?? before?.model ?? null,
      usage: before === undefined ? tokens : { ...before.usage, ...tokens },
      parentCallId: parentCallId ?? before?.parentCallId ?? null,
      settled: settled || before?.settled === true,
      ...(before?.entries !== undefined && { entries: before.entries }),
    });
  }

  /** An entry holds text of the message, or one of its calls. */
  wrote(messageId: string, index: number): void {
    const message = this.#byId.get(messageId);
    const { entries = [] } = message ?? {};
    if (message === undefined || entries.length >= maxEntries || entries.includes(index)) return;
    this.#byId.set(messageId, { ...message, entries: [...entries, index] });
  }

  /** Messages beyond the bound. */
  get left(): number {
    return this.#left;
  }

  all(): MessageUsage[] {
    return [...this.#byId.values()];
  }
}
