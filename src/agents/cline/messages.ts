import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { ToolStatus, ToolUse } from '../../model/transcript/tool.ts';
import { limitDepth } from '../shared/bounds.ts';
import { describeCall } from '../shared/describe.ts';
import { field, nonEmpty, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { DisplayedItem } from '../stores/displayedItems.ts';
import { browserOf, commandOf, mcpOf, subagentsOf, toolOf, type NamedAction } from './tools.ts';

/** Messages that repeat others or have no content. */
const bookkeeping = new Set([
  'api_req_finished',
  'api_req_retried',
  'api_req_retry_delayed',
  'api_req_rate_limited',
  'api_req_deleted',
  'deleted_api_reqs',
  'subagent_usage',
  'checkpoint_saved',
  'checkpoint_created',
  'browser_session_status',
  'mcp_server_request_started',
  'mcp_notification',
  'load_mcp_documentation',
  'task_progress',
  'hook_status',
  'hook_output_stream',
  'conditional_rules_applied',
  'user_edit_todos',
  'resume_task',
  'resume_completed_task',
  'generate_explanation',
]);

const errors = new Set([
  'error',
  'error_retry',
  'diff_error',
  'clineignore_error',
  'rooignore_error',
  'condense_context_error',
  'command_permission_denied',
  'api_req_failed',
]);

const notes = new Map([
  ['shell_integration_warning', 'warning'],
  ['shell_integration_warning_with_suggestion', 'warning'],
  ['mistake_limit_reached', 'warning'],
  ['auto_approval_max_req_reached', 'warning'],
  ['info', 'info'],
  ['image', 'attachment'],
  ['codebase_search_result', 'search_result'],
  ['sliding_window_truncation', 'compaction'],
  ['condense', 'compaction'],
  ['summarize_task', 'compaction'],
  ['report_bug', 'info'],
]);

const calls = new Map<string, (content: string) => NamedAction>([
  ['tool', toolOf],
  ['command', commandOf],
  ['use_mcp_server', mcpOf],
  ['browser_action_launch', browserOf],
  ['browser_action', browserOf],
  ['use_subagents', subagentsOf],
]);

const results = new Set([
  'command_output',
  'mcp_server_response',
  'browser_action_result',
  'subtask_result',
  'subagent',
]);
const questions = new Set(['followup', 'plan_mode_respond', 'act_mode_respond', 'new_task']);

interface OpenCall {
  readonly at: number;
  readonly namedAction: NamedAction;
  readonly isAsked: boolean;
  readonly output: string[];
  hasFailed: boolean;
}

export interface PlacedItem {
  /** Number of the message. */
  readonly at: number;
  readonly item: DisplayedItem;
  /** A message that the person wrote. */
  readonly prompt?: string;
}

export interface Conversation {
  readonly items: readonly PlacedItem[];
  readonly last: 'empty' | 'answering' | 'tool' | 'permission' | 'question' | 'answered' | 'interrupted';
}

/** The messages that the person saw as items. A call and its result are separate messages without an id. */
export function conversationOf(messages: readonly JsonObject[], session: string, folder: string): Conversation {
  const items: PlacedItem[] = [];
  let open: OpenCall | undefined;
  let last: Conversation['last'] = 'empty';
  const close = (status: ToolStatus) => {
    if (open === undefined) return;
    const { at, namedAction, output, hasFailed } = open;
    const shown = output.join('\n');
    items.push({ at, item: callItem(`${session}-${at}`, namedAction, hasFailed ? 'failed' : status, shown, folder) });
    open = undefined;
  };
  for (const [at, message] of messages.entries()) {
    const kind = text(message['say']) ?? text(message['ask']) ?? '';
    const shown = text(message['text']) ?? '';
    const isAsk = message['type'] === 'ask';
    const build = calls.get(kind);
    if (build !== undefined) {
      close('success');
      open = { at, namedAction: build(shown), isAsked: isAsk, output: [], hasFailed: false };
      last = isAsk && message['isAnswered'] !== true ? 'permission' : 'tool';
      continue;
    }
    if (results.has(kind)) {
      if (shown !== '') open?.output.push(shown);
      last = 'answering';
      continue;
    }
    if (kind === 'diff_error' && open !== undefined) open.hasFailed = true;
    if (!bookkeeping.has(kind) && kind !== 'api_req_started') close('success');
    const placed = plainItem(message, kind, shown, at);
    if (placed === 'unknown') {
      const type = { kind: 'system_message', subtype: 'unknown' } as const;
      const raw = JSON.stringify(message).slice(0, 10_000);
      items.push({ at, item: { type, content: `Unknown message type: \`${kind}\``, raw } });
    } else if (placed !== undefined) items.push({ ...placed, at });
    last = stateOf(kind, isAsk, message) ?? last;
  }
  close(last === 'permission' || last === 'tool' ? 'running' : 'success');
  return { items, last };
}

function stateOf(kind: string, isAsk: boolean, message: JsonObject): Conversation['last'] | undefined {
  if (kind === 'completion_result' || kind === 'resume_completed_task') return 'answered';
  if (isAsk && questions.has(kind)) return 'question';
  if (kind === 'resume_task' || kind === 'api_req_failed') return 'interrupted';
  if (kind === 'api_req_started') {
    const cancelled = field(parse(text(message['text']) ?? ''), 'cancelReason') !== undefined;
    return cancelled ? 'interrupted' : 'answering';
  }
  return bookkeeping.has(kind) ? undefined : 'answering';
}

function plainItem(
  message: JsonObject,
  kind: string,
  content: string,
  at: number,
): Omit<PlacedItem, 'at'> | 'unknown' | undefined {
  if (kind === 'task' || kind === 'user_feedback' || (kind === 'text' && at === 0)) {
    return { item: { type: { kind: 'user_message' }, content: content, origin: 'human' }, prompt: content };
  }
  if (kind === 'user_feedback_diff') {
    return { item: { type: { kind: 'system_message', subtype: 'user_edit' }, content: content } };
  }
  if (kind === 'text' || kind === 'completion_result') return messageItem(content);
  if (kind === 'reasoning') {
    const thought = content === '' ? (text(message['reasoning']) ?? '') : content;
    if (thought === '') return undefined;
    return { item: { type: { kind: 'thinking', reasoning: thought }, content: thought } };
  }
  if (questions.has(kind)) return messageItem(questionText(content));
  if (kind === 'api_req_started') return requestFailure(content);
  if (kind === 'condense_context') {
    const summary = nonEmpty(field(message['contextCondense'], 'summary')) ?? 'The conversation was condensed.';
    return { item: { type: { kind: 'system_message', subtype: 'compaction' }, content: summary } };
  }
  if (errors.has(kind)) {
    const reason = content === '' ? 'A request failed.' : content;
    return { item: { type: { kind: 'error', error: { message: reason, code: kind } }, content: reason } };
  }
  const note = notes.get(kind);
  if (note !== undefined) {
    return content === '' ? undefined : { item: { type: { kind: 'system_message', subtype: note }, content: content } };
  }
  return bookkeeping.has(kind) ? undefined : 'unknown';
}

function messageItem(content: string): Omit<PlacedItem, 'at'> | undefined {
  return content === '' ? undefined : { item: { type: { kind: 'assistant_message' }, content: content } };
}

/** A question is JSON with a text, or only the text. */
function questionText(content: string): string {
  const value = parse(content);
  if (!isObject(value)) return content;
  return nonEmpty(value['question']) ?? nonEmpty(value['response']) ?? nonEmpty(value['context']) ?? content;
}

/** Why a request failed, from the message that began it. */
function requestFailure(content: string): Omit<PlacedItem, 'at'> | undefined {
  const info = parse(content);
  const reason = nonEmpty(field(info, 'streamingFailedMessage'));
  const cancel = nonEmpty(field(info, 'cancelReason'));
  if (cancel === 'user_cancelled') {
    return { item: { type: { kind: 'system_message', subtype: 'interrupted' }, content: 'The turn was interrupted.' } };
  }
  if (reason === undefined && cancel === undefined) return undefined;
  const message = reason ?? 'The request failed.';
  const error = { message, ...(cancel !== undefined && { code: cancel }) };
  return { item: { type: { kind: 'error', error }, content: message } };
}

function callItem(
  callId: string,
  { toolName, action, input }: NamedAction,
  status: ToolStatus,
  content: string,
  folder: string,
): DisplayedItem {
  const withOutput = action.kind === 'command_run' && content !== '' ? { ...action, stdout: content } : action;
  const tool: ToolUse = {
    toolName,
    callId,
    action: withOutput,
    input: limitDepth(input),
    status,
    ...(status !== 'running' && { result: { text: content, isError: status === 'failed' } }),
  };
  return { type: { kind: 'tool_use', tool }, content: describeCall(toolName, action, folder), callId };
}
