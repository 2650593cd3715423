import { isObject, type JsonObject } from '../../model/text/json.ts';
import { totalTokens, type ModelUsage, type TokenUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, field, idOf, nonEmpty, objects, text } from '../shared/guards.ts';
import { errorReason, textOfBlocks } from '../shared/resultText.ts';

/**
 * The JSON of `gemini -o stream-json` and `-o json`. Only this file knows it. A field of an unexpected type is ignored; the
 * rest of the line counts.
 */

export interface ToolResultLine {
  readonly id: string | undefined;
  readonly isError: boolean;
  readonly output: string | undefined;
  readonly errorType: string | undefined;
  readonly errorMessage: string | undefined;
}

const failures = new Set(['error', 'failed', 'failure', 'cancelled', 'canceled']);

export function toolResultLine(message: JsonObject): ToolResultLine {
  return {
    id: idOf(message['tool_id']),
    isError: failures.has(text(message['status']) ?? ''),
    output: textOfBlocks(message['output'], '\n'),
    errorType: nonEmpty(field(message['error'], 'type')),
    errorMessage: errorReason(message['error']),
  };
}

/** A text, or parts of one. */
export function messageText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  const parts = objects(content).map((part) => text(part['text']));
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join('');
}

/** Figures of the closing line, in either format. */
export interface Stats {
  readonly usage: TokenUsage | null;
  readonly models: readonly ModelUsage[];
  readonly durationMs: number | null;
  readonly apiDurationMs: number | null;
}

/** `stats` of a `result` line: of one run, also after a resume. */
export function streamStats(value: unknown): Stats {
  if (!isObject(value)) return { usage: null, models: [], durationMs: null, apiDurationMs: null };
  const models = value['models'];
  return {
    usage: nullIfEmpty(streamTokens(value)),
    // A model whose requests failed is listed with zeros.
    models: entriesOf(models)
      .map(([model, counted]) => ({ model, ...streamTokens(counted) }))
      .filter((counted) => totalTokens(counted) > 0),
    durationMs: parseAmount(value['duration_ms']) ?? null,
    apiDurationMs: null,
  };
}

/**
 * `output_tokens` excludes thoughts, which are only in the total. Vitrine counts them as output, because they are billed as
 * output.
 */
function streamTokens(value: JsonObject): TokenUsage {
  const prompt = count(value['input_tokens']);
  const answer = count(value['output_tokens']);
  const total = count(value['total_tokens']);
  const thoughts = total === undefined ? 0 : Math.max(0, total - (prompt ?? 0) - (answer ?? 0));
  return toTokenUsage(prompt, count(value['cached']), answer, thoughts);
}

/** `stats` of the single object of `-o json`. */
export function jsonStats(value: unknown): Stats {
  const byModel = entriesOf(field(value, 'models'));
  const models = byModel
    .map(([model, counted]) => ({ model, ...jsonTokens(field(counted, 'tokens')) }))
    .filter((counted) => totalTokens(counted) > 0);
  const latencies = byModel.map(([, counted]) => parseAmount(field(counted['api'], 'totalLatencyMs')) ?? 0);
  return {
    usage: models.length === 0 ? null : models.reduce<TokenUsage>(add, {}),
    models,
    durationMs: null,
    apiDurationMs: latencies.length === 0 ? null : latencies.reduce((sum, latency) => sum + latency, 0),
  };
}

function jsonTokens(value: unknown): TokenUsage {
  const answer = count(field(value, 'candidates'));
  const thoughts = count(field(value, 'thoughts')) ?? 0;
  const prompt = count(field(value, 'prompt'));
  const tool = count(field(value, 'tool')) ?? 0;
  return toTokenUsage(
    prompt === undefined ? undefined : prompt + tool,
    count(field(value, 'cached')),
    answer,
    thoughts,
  );
}

function toTokenUsage(
  prompt: number | undefined,
  cached: number | undefined,
  answer: number | undefined,
  thoughts: number,
): TokenUsage {
  const usage: TokenUsage = {};
  if (prompt !== undefined) usage.input = Math.max(0, prompt - (cached ?? 0));
  if (cached !== undefined) usage.cacheRead = cached;
  if (answer !== undefined) usage.output = answer + thoughts;
  if (answer !== undefined) usage.reasoning = thoughts;
  return usage;
}

function nullIfEmpty(usage: TokenUsage): TokenUsage | null {
  return Object.keys(usage).length === 0 ? null : usage;
}

function add(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum = { ...a };
  for (const kind of ['input', 'cacheRead', 'output', 'reasoning'] as const) {
    const addend = b[kind];
    if (addend !== undefined) sum[kind] = (sum[kind] ?? 0) + addend;
  }
  return sum;
}

function entriesOf(value: unknown): [string, JsonObject][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => (isObject(item) ? [[key, item]] : []));
}

export function todosOf(value: unknown): { text: string; status: unknown }[] {
  return objects(value).map((item) => ({
    text: text(item['description']) ?? text(item['content']) ?? text(item['title']) ?? '',
    status: item['status'],
  }));
}
