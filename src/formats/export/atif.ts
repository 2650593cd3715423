import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';
import { writtenBy } from '../writtenBy.ts';
import { objectWithArray } from './shared/jsonText.ts';
import type { Exporter, ExportSource } from './shared/source.ts';
import { isFailed, thinkingTextOf, toolInput, toolOutputText } from './shared/toolFields.ts';

/** A trajectory in the Agent Trajectory Interchange Format 1.7, with a step per entry. */
export const atif: Exporter = {
  async *write(source) {
    const { summary } = source;
    let steps = 0;
    const numbered = async function* () {
      for await (const step of stepsOf(source)) {
        steps += 1;
        yield { step_id: steps, ...step };
      }
      // The format requires at least one step.
      if (steps === 0) {
        steps = 1;
        yield { step_id: 1, source: 'system', message: 'Nothing was recorded.' };
      }
    };
    const head = {
      schema_version: 'ATIF-v1.7',
      session_id: summary.session_id,
      trajectory_id: summary.session_id,
      agent: {
        name: summary.executor_type ?? summary.agent_label,
        version: summary.agent_version ?? 'unknown',
        ...(summary.model !== null && { model_name: summary.model }),
        extra: { label: summary.agent_label, executor_session_ids: summary.executor_session_ids },
      },
    };
    yield* objectWithArray(head, 'steps', numbered(), () => ({
      final_metrics: { ...metricsOf(source), total_steps: steps },
      extra: { title: summary.title, outcome: summary.outcome, project_dir: summary.project_dir },
    }));
  },
};

async function* stepsOf({ entries }: ExportSource): AsyncGenerator<object> {
  for await (const entry of entries()) yield stepOf(entry);
}

function stepOf(entry: NormalizedEntry): object {
  const { type, content, timestamp, metadata, origin } = entry;
  const extra = {
    index: entry.index,
    kind: type.kind,
    ...(origin !== undefined && { origin }),
    ...(metadata?.parentCallId !== undefined && { parent_tool_call_id: metadata.parentCallId }),
    ...writtenBy(entry),
    ...(metadata?.annotations !== undefined && { annotations: metadata.annotations }),
  };
  const base = { ...(!Number.isNaN(Date.parse(timestamp)) && { timestamp }), extra };
  const agent = {
    source: 'agent',
    ...(typeof metadata?.model === 'string' && { model_name: metadata.model }),
  };
  switch (type.kind) {
    case 'user_message':
      return { source: 'user', message: content, ...base };
    case 'system_message':
      return { source: 'system', message: content, ...base, extra: { ...extra, subtype: type.subtype } };
    case 'error':
      return { source: 'system', message: type.error.message, ...base, extra: { ...extra, error: type.error } };
    case 'assistant_message':
      return { ...agent, message: content, ...base };
    case 'thinking':
      return { ...agent, message: '', reasoning_content: thinkingTextOf(entry), ...base };
    case 'tool_use':
      return { ...agent, message: '', ...callOf(type.tool), ...base };
  }
}

function callOf(tool: ToolUse): object {
  const content = toolOutputText(tool);
  const result = {
    source_call_id: tool.callId,
    content: content ?? null,
    extra: { status: tool.status, ...(tool.endedAt !== undefined && { ended_at: tool.endedAt }) },
  };
  return {
    tool_calls: [
      {
        tool_call_id: tool.callId,
        function_name: tool.toolName,
        arguments: toolInput(tool),
        extra: { action: tool.action.kind, ...(tool.startedAt !== undefined && { started_at: tool.startedAt }) },
      },
    ],
    ...((content !== undefined || isFailed(tool)) && { observation: { results: [result] } }),
  };
}

/** Unknown values are omitted, never 0. */
function metricsOf({ summary }: ExportSource): object {
  const { total_usage: usage, total_cost: cost } = summary;
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    ...(input !== undefined && { total_prompt_tokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0) }),
    ...(output !== undefined && { total_completion_tokens: output }),
    ...(cacheRead !== undefined && { total_cached_tokens: cacheRead }),
    ...(cost.provenance !== 'unknown' && { total_cost_usd: cost.usd }),
    extra: { cost_provenance: cost.provenance },
  };
}
