import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { ToolUse } from '../../../model/transcript/tool.ts';
import type { RecordedRun } from '../../record.ts';
import { jsonText, objectWithArray } from '../shared/jsonText.ts';
import { attributes, period, type OtlpSpan } from './otlpValue.ts';
import { otelProvider } from './provider.ts';
import type { Exporter, ExportSource, ExportTools } from '../shared/source.ts';
import { isFailed, thinkingTextOf, toolInput, toolOutputText } from '../shared/toolFields.ts';
import { TraceIds } from './traceIds.ts';

/** One trace per session in OTLP JSON, by OpenTelemetry's conventions for AI: a span per run and per call. */
export const otlp: Exporter = {
  async *write(source, tools) {
    const { resource, scope } = resourceOf(source, tools);
    yield `{"resourceSpans":[${JSON.stringify({ resource }).slice(0, -1)},"scopeSpans":[`;
    for await (const chunk of objectWithArray({ scope }, 'spans', otlpSpans(source, tools))) yield chunk.trimEnd();
    yield ']}]}\n';
  },
};

/** Body of a request to `/v1/traces` with some of a session's spans. */
export function otlpRequest(source: ExportSource, tools: ExportTools, spans: readonly OtlpSpan[]): string {
  const { resource, scope } = resourceOf(source, tools);
  return jsonText({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
}

/** Resource and scope of the spans. */
function resourceOf({ summary }: ExportSource, { version }: ExportTools) {
  const resource = { attributes: attributes({ 'service.name': 'vitrine', 'host.name': summary.hostname }) };
  return { resource, scope: { name: 'vitrine', version } };
}

interface Messages {
  readonly input: object[];
  readonly output: object[];
  last: string | undefined;
}

/** One span per run and per call. Each run follows its calls. */
export async function* otlpSpans(source: ExportSource, tools: ExportTools): AsyncGenerator<OtlpSpan> {
  const ids = new TraceIds(source.summary.session_id, tools.sha256);
  const left = [...source.runs];
  let messages: Messages = { input: [], output: [], last: undefined };
  for await (const entry of source.entries()) {
    for (let next = left[1]; next !== undefined && entry.index >= next.first_index; next = left[1]) {
      const run = left.shift();
      if (run !== undefined) yield runSpan(source, run, messages, ids);
      messages = { input: [], output: [], last: undefined };
    }
    addMessage(messages, entry);
    if (entry.type.kind === 'tool_use') yield toolSpan(entry, entry.type.tool, left[0], ids);
  }
  for (const run of left) {
    yield runSpan(source, run, messages, ids);
    messages = { input: [], output: [], last: undefined };
  }
}

function runSpan({ summary, results }: ExportSource, run: RecordedRun, messages: Messages, ids: TraceIds): OtlpSpan {
  const result = results.findLast(({ runId }) => runId === run.run_id)?.metadata;
  const model = result?.model ?? summary.model;
  const usage = result?.usage ?? {};
  const { input, cacheRead, cacheWrite, cacheWrite1h, output, reasoning } = usage;
  const failed = run.status === 'failed';
  const cost = result?.costProvenance;
  const began = run.started_at ?? run.created_at;
  return {
    traceId: ids.trace,
    spanId: ids.run(run.run_id),
    name: `invoke_agent ${summary.agent_label}`,
    kind: 1,
    ...period(began, run.completed_at ?? messages.last),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': otelProvider(model, summary.executor_type),
      'gen_ai.agent.name': summary.agent_label,
      'gen_ai.agent.version': summary.agent_version,
      'gen_ai.conversation.id': summary.session_id,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': input === undefined ? null : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
      'gen_ai.usage.reasoning.output_tokens': reasoning,
      'vitrine.usage.cache_creation_1h.input_tokens': cacheWrite1h,
      'gen_ai.input.messages': jsonText(messages.input),
      'gen_ai.output.messages': jsonText(messages.output),
      'error.type': failed ? (result?.endReason ?? '_OTHER') : null,
      'vitrine.run.id': run.run_id,
      'vitrine.run.status': run.status,
      'vitrine.prompt.origin': run.prompt_origin,
      'vitrine.prompt.synthetic': run.synthetic,
      'vitrine.prompt.trigger_type': run.trigger_type,
      'vitrine.prompt.trigger_reason': run.trigger_reason,
      'vitrine.executor.session_id': result?.sessionId,
      'vitrine.cost.usd': cost === undefined || cost.provenance === 'unknown' ? null : cost.usd,
      'vitrine.cost.provenance': cost?.provenance ?? 'unknown',
    }),
    status: failed ? { code: 2, ...(run.error !== undefined && { message: run.error }) } : {},
  };
}

function toolSpan(entry: NormalizedEntry, tool: ToolUse, run: RecordedRun | undefined, ids: TraceIds): OtlpSpan {
  const runId = run?.run_id ?? '';
  const parent = tool.parentCallId === undefined ? run && ids.run(runId) : ids.call(runId, tool.parentCallId);
  const began = tool.startedAt ?? entry.timestamp;
  const failed = isFailed(tool);
  const output = toolOutputText(tool);
  return {
    traceId: ids.trace,
    spanId: ids.call(runId, tool.callId),
    ...(parent !== undefined && { parentSpanId: parent }),
    name: `execute_tool ${tool.toolName}`,
    kind: 1,
    ...period(began, tool.endedAt),
    attributes: attributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.toolName,
      'gen_ai.tool.call.id': tool.callId,
      'gen_ai.tool.type': tool.action.kind === 'mcp' ? 'extension' : 'function',
      'gen_ai.tool.call.arguments': jsonText(toolInput(tool)),
      'gen_ai.tool.call.result': output,
      'error.type': failed ? tool.status : null,
      'vitrine.entry.index': entry.index,
    }),
    status: failed ? { code: 2 } : {},
  };
}

/** Messages in the conventions' JSON schema. */
function addMessage(messages: Messages, entry: NormalizedEntry): void {
  const { type, content } = entry;
  messages.last = entry.timestamp;
  if (entry.metadata?.parentCallId !== undefined) return;
  const assistant = (part: object) =>
    messages.output.push({
      role: 'assistant',
      parts: [part],
      finish_reason: type.kind === 'tool_use' ? 'tool_call' : 'stop',
    });
  switch (type.kind) {
    case 'user_message':
      messages.input.push({ role: 'user', parts: [{ type: 'text', content }] });
      break;
    case 'assistant_message':
      assistant({ type: 'text', content });
      break;
    case 'thinking':
      assistant({ type: 'reasoning', content: thinkingTextOf(entry) });
      break;
    case 'tool_use':
      assistant({ type: 'tool_call', id: type.tool.callId, name: type.tool.toolName, arguments: toolInput(type.tool) });
      break;
    case 'system_message':
    case 'error':
      break;
  }
}
