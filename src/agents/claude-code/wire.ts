import * as z from 'zod';
import { isObject, type JsonObject } from '../../model/json.ts';

/**
 * The JSON of Claude Code's output. Nothing else in Vitrine knows it.
 *
 * Lines that come once in a while are read by schema. The others (`stream_event`, `assistant`, `user`) are read field by
 * field with the guards below: a schema over them costs as much as parsing the line, and a field of another type must
 * cost itself only, never the line.
 */

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A text that says something, or nothing. */
export function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number from 0: a count, an index, a line number. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A finite number from 0: an amount, a duration. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objects(value: unknown): JsonObject[] {
  return list(value).filter(isObject);
}

/** A field of `value`, where that is an object at all. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

const lenient = {
  text: z.string().optional().catch(undefined),
  amount: z.number().nonnegative().optional().catch(undefined),
  count: z.number().int().nonnegative().optional().catch(undefined),
  flag: z.boolean().optional().catch(undefined),
  texts: z.preprocess((value) => list(value).filter((item) => typeof item === 'string'), z.array(z.string())),
  unknown: z.unknown().optional(),
};

const mcpServerSchema = z.object({ name: z.string(), status: z.string().catch('unknown') });

/** `system/init`. 1.0.3 prints `session_id`, `tools` and `mcp_servers` only. */
export const initSchema = z.object({
  cwd: lenient.text,
  model: lenient.text,
  permissionMode: lenient.text,
  apiKeySource: lenient.text,
  claude_code_version: lenient.text,
  output_style: lenient.text,
  tools: lenient.texts,
  slash_commands: lenient.texts,
  agents: lenient.texts,
  mcp_servers: z
    .array(z.unknown())
    .optional()
    .catch(undefined)
    .transform((servers) =>
      servers?.flatMap((server) => {
        const known = mcpServerSchema.safeParse(server);
        return known.success ? [known.data] : [];
      }),
    ),
});
export type InitLine = z.infer<typeof initSchema>;

/** The closing line. Its keys come in any order, `type` is not the first in newer versions. */
export const resultSchema = z.object({
  subtype: lenient.text,
  is_error: lenient.flag,
  result: lenient.text,
  errors: lenient.texts,
  num_turns: lenient.count,
  duration_ms: lenient.amount,
  duration_api_ms: lenient.amount,
  total_cost_usd: lenient.amount,
  total_cost: lenient.amount,
  cost_usd: lenient.amount,
  stop_reason: lenient.text,
  terminal_reason: lenient.text,
  result_index: lenient.count,
  api_error_status: lenient.count,
  api_error_type: lenient.text,
  api_error: lenient.text,
  usage: lenient.unknown,
  modelUsage: lenient.unknown,
  model_usage_since_last_result: lenient.unknown,
  permission_denials: lenient.unknown,
  origin: lenient.unknown,
});
export type ResultLine = z.infer<typeof resultSchema>;

/** Tokens as the Messages API counts them. */
export const apiUsageSchema = z.object({
  input_tokens: lenient.count,
  output_tokens: lenient.count,
  cache_read_input_tokens: lenient.count,
  cache_creation_input_tokens: lenient.count,
  output_tokens_details: lenient.unknown,
  server_tool_use: lenient.unknown,
});

/** One model of a result's `modelUsage`. */
export const modelCountersSchema = z.object({
  inputTokens: lenient.count,
  outputTokens: lenient.count,
  cacheReadInputTokens: lenient.count,
  cacheCreationInputTokens: lenient.count,
  thinkingTokens: lenient.count,
  webSearchRequests: lenient.count,
  costUSD: lenient.amount,
  contextWindow: lenient.count,
});
