import type { JsonObject } from '../../model/text/json.ts';
import { parseAmount, count, field, isTrue, list, nonEmpty, objects, text, texts } from '../shared/guards.ts';
import { errorReason } from '../shared/resultText.ts';

/**
 * The JSON of Claude Code's output. Nothing else in Vitrine knows it.
 *
 * Lines are read field by field with the guards of `guards.ts` and not by zod schemas, for two reasons. A field of another type
 * must cost itself only, never the line; and schemas over the captures (zod 4.6, Node 24) took as long again as parsing
 * their JSON, the guards a tenth of that.
 */

/** `system/init`. 1.0.3 prints `session_id`, `tools` and `mcp_servers` only. */
export interface InitLine {
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly apiKeySource: string | undefined;
  readonly version: string | undefined;
  readonly tools: readonly string[];
  readonly slashCommands: readonly string[];
  readonly agents: readonly string[];
  readonly servers: readonly McpServer[] | undefined;
}

export interface McpServer {
  readonly name: string;
  readonly status: string;
}

export function initLine(message: JsonObject): InitLine {
  const servers = message['mcp_servers'];
  return {
    cwd: nonEmpty(message['cwd']),
    model: nonEmpty(message['model']),
    permissionMode: nonEmpty(message['permissionMode']),
    apiKeySource: nonEmpty(message['apiKeySource']),
    version: nonEmpty(message['claude_code_version']),
    tools: texts(message['tools']),
    slashCommands: texts(message['slash_commands']),
    agents: texts(message['agents']),
    servers: Array.isArray(servers) ? objects(servers).flatMap(mcpServer) : undefined,
  };
}

function mcpServer(server: JsonObject): McpServer[] {
  const name = nonEmpty(server['name']);
  return name === undefined ? [] : [{ name, status: nonEmpty(server['status']) ?? 'unknown' }];
}

/** The closing line. Its keys come in any order, `type` is not the first in newer versions. */
export interface ResultLine {
  readonly subtype: string | undefined;
  readonly isError: boolean;
  readonly result: string | undefined;
  readonly errors: readonly string[];
  readonly turns: number | undefined;
  readonly durationMs: number | undefined;
  readonly apiDurationMs: number | undefined;
  /** Under either name, depending on the version. */
  readonly usd: number | undefined;
  /** Cost of this run alone, if printed beside a total. */
  readonly runUsd: number | undefined;
  readonly stopReason: string | undefined;
  readonly terminalReason: string | undefined;
  readonly resultIndex: number | undefined;
  readonly errorStatus: number | undefined;
  readonly errorType: string | undefined;
  readonly apiError: string | undefined;
  readonly usage: unknown;
  readonly models: unknown;
  readonly runModels: unknown;
  readonly subagents: number | undefined;
  readonly denials: readonly { readonly tool: string; readonly callId: string | undefined }[];
  readonly origin: string | undefined;
  /** The output for `--json-schema`. */
  readonly structured: unknown;
}

/** Name of the line if only its reason says that a limit ended the run. */
const limits = new Map([
  ['max_turns', 'error_max_turns'],
  ['max_budget', 'error_max_budget_usd'],
  ['max_budget_usd', 'error_max_budget_usd'],
]);

export function resultLine(message: JsonObject): ResultLine {
  const total = parseAmount(message['total_cost_usd']) ?? parseAmount(message['total_cost']);
  const run = parseAmount(message['cost_usd']);
  return {
    subtype: nonEmpty(message['subtype']) ?? limits.get(nonEmpty(message['terminal_reason']) ?? ''),
    isError: isTrue(message['is_error']),
    result: text(message['result']),
    errors: list(message['errors'])
      .map(errorReason)
      .filter((shown) => shown !== undefined),
    turns: count(message['num_turns']),
    durationMs: parseAmount(message['duration_ms']),
    apiDurationMs: parseAmount(message['duration_api_ms']),
    usd: total ?? run,
    runUsd: total === undefined ? undefined : run,
    stopReason: nonEmpty(message['stop_reason']),
    terminalReason: nonEmpty(message['terminal_reason']),
    resultIndex: count(message['result_index']),
    errorStatus: count(message['api_error_status']),
    errorType: nonEmpty(message['api_error_type']),
    apiError: nonEmpty(message['api_error']),
    usage: message['usage'],
    models: message['modelUsage'],
    runModels: message['model_usage_since_last_result'],
    subagents: count(field(message['subagent_stats'], 'spawned')),
    denials: objects(message['permission_denials']).map((denial) => ({
      tool: nonEmpty(denial['tool_name']) ?? 'a tool',
      callId: nonEmpty(denial['tool_use_id']),
    })),
    origin: nonEmpty(field(message['origin'], 'kind')),
    structured: message['structured_output'] ?? undefined,
  };
}

/** `uuid`s of messages that this one, or the notice of a refusal, retracts. */
export function retractedMessages(message: JsonObject): string[] {
  return texts(message['supersedes'] ?? message['retracted_message_uuids']);
}

/** Id of a `control_request` that asks for a permission. */
export function permissionRequestId(message: JsonObject): string | undefined {
  const isRequest = message['type'] === 'control_request' && field(message['request'], 'subtype') === 'can_use_tool';
  return isRequest ? nonEmpty(message['request_id']) : undefined;
}

/** Other agents copied the format, but neither list their tools nor print a cost. */
export function isOwnLine(message: JsonObject): boolean {
  if (message['type'] === 'system') return message['subtype'] === 'init' && Array.isArray(message['tools']);
  if (message['type'] === 'result') return resultLine(message).usd !== undefined;
  return message['type'] === 'stream_event';
}
