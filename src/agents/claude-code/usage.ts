import type { MessageUsage } from '../../model/facts.ts';
import { isObject } from '../../model/json.ts';
import type { ModelUsage, TokenUsage } from '../../model/usage.ts';
import { apiUsageSchema, count, field, modelCountersSchema } from './wire.ts';

/** Messages whose usage is itemised. Further ones are in the agent's own totals only. */
export const maxMessages = 100_000;

export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const usage = apiUsageSchema.parse(value);
  return present({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    reasoning: count(field(usage.output_tokens_details, 'thinking_tokens')),
    webSearches: count(field(usage.server_tool_use, 'web_search_requests')),
  });
}

export function modelUsage(value: unknown): ModelUsage[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([model, counters]) => {
    if (!isObject(counters)) return [];
    const known = modelCountersSchema.parse(counters);
    const usage = present({
      input: known.inputTokens,
      output: known.outputTokens,
      cacheRead: known.cacheReadInputTokens,
      cacheWrite: known.cacheCreationInputTokens,
      reasoning: known.thinkingTokens,
      webSearches: known.webSearchRequests,
    });
    return [
      {
        model,
        ...usage,
        ...(known.costUSD !== undefined && { usd: known.costUSD }),
        ...(known.contextWindow !== undefined && { contextWindow: known.contextWindow }),
      },
    ];
  });
}

function present(usage: TokenUsage): TokenUsage {
  const kept: TokenUsage = {};
  if (usage.input !== undefined) kept.input = usage.input;
  if (usage.output !== undefined) kept.output = usage.output;
  if (usage.cacheRead !== undefined) kept.cacheRead = usage.cacheRead;
  if (usage.cacheWrite !== undefined) kept.cacheWrite = usage.cacheWrite;
  if (usage.reasoning !== undefined) kept.reasoning = usage.reasoning;
  if (usage.webSearches !== undefined) kept.webSearches = usage.webSearches;
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
    const tokens = tokenUsage(usage);
    if (tokens === null) return;
    this.#byId.set(messageId, {
      messageId,
      model: model ?? before?.model ?? null,
      usage: before === undefined ? tokens : { ...before.usage, ...tokens },
      parentCallId: parentCallId ?? before?.parentCallId ?? null,
      settled: settled || before?.settled === true,
    });
  }

  /** Messages beyond the bound. */
  get left(): number {
    return this.#left;
  }

  all(): MessageUsage[] {
    return [...this.#byId.values()];
  }
}
