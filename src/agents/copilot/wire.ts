import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { ModelUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, field, nonEmpty, objects } from '../shared/guards.ts';
import { errorReason, textOfBlocks } from '../shared/resultText.ts';

/**
 * The JSON of `copilot --output-format json` and `--usage-output-file`. Only this file knows it. A field of an
 * unexpected type is ignored; the rest of the line counts.
 */

/** One line: `{type, data, id, timestamp, parentId, ephemeral?, agentId?}`. */
export interface CopilotEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: JsonObject;
  /** Id of the subagent; absent for the main conversation. */
  readonly agentId: string | undefined;
  /** Call of the `task` tool that started the subagent, if the line has it. */
  readonly parentCallId: string | undefined;
}

const noData: JsonObject = {};

export function copilotEvent(message: JsonObject): CopilotEvent | undefined {
  const type = nonEmpty(message['type']);
  if (type === undefined) return undefined;
  const data = isObject(message['data']) ? message['data'] : noData;
  return {
    type,
    id: nonEmpty(message['id']),
    data,
    agentId: nonEmpty(message['agentId']),
    parentCallId: nonEmpty(data['parentToolCallId']),
  };
}

/** A call from `assistant.message` or `tool.execution_start`. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  /** An object; a text for tools such as `apply_patch`. */
  readonly input: unknown;
  readonly mcp: { readonly server: string; readonly tool: string } | undefined;
}

export function toolCall(value: JsonObject): ToolCall {
  const server = nonEmpty(value['mcpServerName']);
  const tool = nonEmpty(value['mcpToolName']);
  return {
    id: nonEmpty(value['toolCallId']),
    name: nonEmpty(value['toolName']) ?? nonEmpty(value['name']) ?? 'unknown',
    input: value['arguments'],
    mcp: server === undefined || tool === undefined ? undefined : { server, tool },
  };
}

export function toolRequests(data: JsonObject): ToolCall[] {
  return objects(data['toolRequests']).map(toolCall);
}

/** `tool.execution_complete`. */
export interface ToolOutcome {
  readonly id: string | undefined;
  readonly success: boolean;
  /** Result for the model. */
  readonly content: string | undefined;
  /** Result for people: for file changes, the diff. */
  readonly detail: string | undefined;
  readonly blocks: unknown;
  readonly errorMessage: string | undefined;
  readonly errorCode: string | undefined;
  /** Exit code of a command, which counts as a success whatever its value. */
  readonly exitCode: number | undefined;
  readonly fileEdits: unknown;
}

/** Fields that can have the text of a result. */
const shownIn = ['content', 'contents', 'detailedContent'];

export function toolOutcome(data: JsonObject): ToolOutcome {
  const { result, error } = data;
  const exitCode = field(data['shellExecution'], 'exitCode');
  return {
    id: nonEmpty(data['toolCallId']),
    success: data['success'] === true || (data['success'] === undefined && error === undefined),
    content: textOfBlocks(
      isObject(result) && (shownIn.some((key) => key in result) || Object.keys(result).length === 0)
        ? result['content']
        : result,
      '\n',
    ),
    detail: nonEmpty(field(result, 'detailedContent')),
    blocks: field(result, 'contents'),
    errorMessage: errorReason(error),
    errorCode: nonEmpty(field(error, 'code')),
    exitCode: typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? exitCode : undefined,
    fileEdits: data['fileEdits'],
  };
}

/** The closing line. All of its `usage` includes earlier runs of the session. */
export interface ResultLine {
  readonly sessionId: string | undefined;
  readonly exitCode: number | undefined;
  readonly apiDurationMs: number | undefined;
  /** Age of the session, including the time between its runs. */
  readonly sessionDurationMs: number | undefined;
  readonly usage: unknown;
}

export function resultLine(message: JsonObject): ResultLine {
  const { usage } = message;
  return {
    sessionId: nonEmpty(message['sessionId']),
    exitCode: count(message['exitCode']),
    apiDurationMs: parseAmount(field(usage, 'totalApiDurationMs')),
    sessionDurationMs: parseAmount(field(usage, 'sessionDurationMs')),
    usage,
  };
}

/** The file of `--usage-output-file`, and its copy in `session.shutdown`: figures of the session so far. */
export interface UsageFile {
  readonly models: readonly ModelUsage[];
  readonly currentModel: string | undefined;
  readonly apiDurationMs: number | undefined;
  readonly premiumRequestCost: number | undefined;
  readonly nanoAiu: number | undefined;
}

/** `undefined` if this is not such a file. */
export function usageFile(value: unknown): UsageFile | undefined {
  const metrics = field(value, 'modelMetrics');
  if (!isObject(value) || !isObject(metrics)) return undefined;
  return {
    models: Object.entries(metrics).flatMap(([model, metric]) => modelUsage(model, field(metric, 'usage'))),
    currentModel: nonEmpty(value['currentModel']),
    apiDurationMs: parseAmount(value['totalApiDurationMs']),
    premiumRequestCost: parseAmount(value['totalPremiumRequestCost']),
    nanoAiu: parseAmount(value['totalNanoAiu']),
  };
}

/** `assistant.usage`: the tokens of one request; `undefined` if it has none. */
export function requestUsage(data: JsonObject): ModelUsage | undefined {
  const [usage] = modelUsage(nonEmpty(data['model']) ?? '', data);
  return usage !== undefined && Object.keys(usage).length > 1 ? usage : undefined;
}

/** Its `inputTokens` include cache reads and writes. */
function modelUsage(model: string, usage: unknown): ModelUsage[] {
  if (!isObject(usage)) return [];
  const saved: ModelUsage = { model };
  const cacheRead = count(usage['cacheReadTokens']);
  const cacheWrite = count(usage['cacheWriteTokens']);
  const input = count(usage['inputTokens']);
  const output = count(usage['outputTokens']);
  const reasoning = count(usage['reasoningTokens']);
  if (input !== undefined) saved.input = Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0));
  if (output !== undefined) saved.output = output;
  if (cacheRead !== undefined) saved.cacheRead = cacheRead;
  if (cacheWrite !== undefined) saved.cacheWrite = cacheWrite;
  if (reasoning !== undefined) saved.reasoning = reasoning;
  return [saved];
}

export interface McpServer {
  readonly name: string;
  readonly status: string;
}

export function mcpServers(data: JsonObject): McpServer[] {
  return objects(data['servers']).flatMap((server) => {
    const name = nonEmpty(server['name']) ?? nonEmpty(server['serverName']);
    return name === undefined ? [] : [{ name, status: nonEmpty(server['status']) ?? 'unknown' }];
  });
}

/** The conversation's id in the log. */
export function sessionInLog(line: string): string | undefined {
  return /\bWorkspace initialized: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/i.exec(line)?.[1];
}

/** The id at the end of text mode's output: `Resume     copilot --resume=<id>`. */
export function sessionInStderr(line: string): string | undefined {
  return /^Resume\s+copilot --resume[= ]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/i.exec(line)?.[1];
}
