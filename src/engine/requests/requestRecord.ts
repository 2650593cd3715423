import type { LineOf } from '../../formats/record.ts';
import type { AgentRequest, Decision } from '../../model/agent/request.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ToolAction } from '../../model/transcript/tool.ts';

/** The record's line about a decision, which can be found without reading entries. */
export function decisionLine(
  runId: string,
  request: AgentRequest,
  { by, at, answer, client }: Decision,
): LineOf<'decision'> {
  const { id, kind, toolName, callId, cwd, action } = request;
  return {
    kind: 'decision',
    decision: {
      type: 'permission',
      at,
      run_id: runId,
      request_id: id,
      request_kind: kind,
      by,
      answer,
      ...(client !== undefined && { client }),
      ...(toolName !== undefined && { tool_name: toolName }),
      ...(callId !== undefined && { call_id: callId }),
      ...(action !== undefined && actionSummary(action)),
      ...(cwd !== undefined && { cwd }),
    },
  };
}

function actionSummary(action: ToolAction): Readonly<Record<string, unknown>> {
  switch (action.kind) {
    case 'command_run':
      return { command: action.command };
    case 'file_read':
    case 'file_write':
      return { paths: [action.path] };
    case 'file_edit':
      return { paths: [...new Set(action.changes.map(({ path }) => path))] };
    case 'web_fetch':
      return { url: action.url };
    default:
      return {};
  }
}

/** Summary of pending requests for lists; `undefined` if there are none. */
export function needsYou(pending: readonly AgentRequest[]): SessionSummary['needs_you'] {
  const [oldest] = pending;
  return oldest === undefined ? undefined : { count: pending.length, since: oldest.asked_at, title: oldest.title };
}
