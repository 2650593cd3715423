import { type JsonObject, isObject } from '../../../model/text/json.ts';
import { field, nonEmpty, objects } from '../../shared/guards.ts';

/** A record in the form that `--output-format stream-json` prints. */
export function toStdoutForm(record: JsonObject, session: string, parentCallId: string | null): JsonObject {
  const common = {
    type: record['type'],
    uuid: record['uuid'],
    timestamp: record['timestamp'],
    session_id: session,
    parent_tool_use_id: parentCallId,
  };
  switch (record['type']) {
    case 'assistant':
      return {
        ...common,
        message: record['message'],
        isApiErrorMessage: record['isApiErrorMessage'],
        error: record['error'],
        api_error_status: record['apiErrorStatus'],
        api_error_type: record['apiErrorType'],
      };
    case 'user':
      return {
        ...common,
        message: record['message'],
        isMeta: record['isMeta'],
        isCompactSummary: record['isCompactSummary'],
        origin: record['origin'],
        tool_use_result: record['toolUseResult'],
        tool_result_meta: resultMeta(record),
      };
    case 'system':
      return { ...common, ...systemForm(record) };
    default:
      return { ...record, ...common };
  }
}

/** A user's message in the form in which the program repeats it. */
export function replayedUserMessage(record: JsonObject, session: string): JsonObject {
  const message = record['message'];
  const content = field(message, 'content');
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { ...toStdoutForm(record, session, null), isReplay: true, message: { role: 'user', content: blocks } };
}

/** Decisions about calls, which the store does not list separately. */
function resultMeta(record: JsonObject): readonly JsonObject[] {
  const blocks = objects(field(record['message'], 'content'));
  const decision = record['permissionDecision'];
  return blocks
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => ({
      id: block['tool_use_id'],
      ...(isObject(decision) && { permission_decision: decision }),
      non_execution_kind: record['toolDenialKind'],
    }));
}

function systemForm(record: JsonObject): JsonObject {
  const { subtype } = record;
  if (subtype === 'compact_boundary') {
    const meta = record['compactMetadata'];
    return {
      subtype,
      compact_metadata: {
        trigger: nonEmpty(field(meta, 'trigger')),
        pre_tokens: field(meta, 'preTokens'),
        post_tokens: field(meta, 'postTokens'),
      },
    };
  }
  // Output of a command of the program.
  if (subtype === 'local_command') return { subtype: 'local_command_output', content: record['content'] };
  return { ...record };
}
