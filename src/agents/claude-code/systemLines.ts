import type { JsonObject } from '../../model/text/json.ts';
import { code } from '../shared/describe.ts';
import { parseAmount, count, field, nonEmpty, objects, text, texts } from '../shared/guards.ts';
import { planLimit, resetText } from '../shared/planLimits.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

type LineDescriber = (message: JsonObject) => string;

const join = (...parts: (string | undefined | false)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');

const taskText: LineDescriber = (message) =>
  nonEmpty(message['description']) ?? nonEmpty(message['summary']) ?? `task ${text(message['task_id']) ?? ''}`;

/** Up to 2.0, only the streams have a hook's output. */
const hookOutput: LineDescriber = (message) =>
  nonEmpty(message['output']) ??
  [text(message['stdout']) ?? '', text(message['stderr']) ?? '']
    .map((shown) => shown.trimEnd())
    .join('\n')
    .trim();

/** A title, and details if there are any. */
const withTitle = (title: string, details: string): string => (details === '' ? title : `${title}\n\n${details}`);

function retry(message: JsonObject): string {
  const delay = parseAmount(message['retry_delay_ms']);
  return join(
    `Retry ${count(message['attempt']) ?? '?'} of ${count(message['max_retries']) ?? '?'}`,
    delay !== undefined && `in ${englishNumbers.duration(delay)}`,
    count(message['error_status'])?.toString(),
    nonEmpty(message['error']),
  );
}

function compactionText(message: JsonObject): string {
  const meta = message['compact_metadata'];
  const before = count(field(meta, 'pre_tokens'));
  const after = count(field(meta, 'post_tokens'));
  const tokens =
    before === undefined
      ? undefined
      : `${englishNumbers.count(before)}${after === undefined ? '' : ` → ${englishNumbers.count(after)}`} tokens`;
  return join('Conversation compacted', nonEmpty(field(meta, 'trigger')), tokens);
}

function hookResponse(message: JsonObject): string {
  const exit = count(message['exit_code']);
  const title = join(
    `Hook ${code(nonEmpty(message['hook_name']) ?? '?')}`,
    nonEmpty(message['outcome']),
    exit !== undefined && `exit code ${exit}`,
  );
  return withTitle(title, hookOutput(message).trimEnd());
}

function statusText(message: JsonObject): string {
  const mode = nonEmpty(message['permissionMode']);
  const compacting = nonEmpty(message['compact_result']);
  const parts = [
    nonEmpty(message['status']),
    mode && `permission mode ${code(mode)}`,
    compacting && `compaction: ${compacting}`,
    nonEmpty(message['compact_error']),
  ];
  return join(...parts) || 'Status';
}

function taskProgress(message: JsonObject): string {
  const shown = taskText(message);
  const summary = nonEmpty(message['summary']);
  return join('Task', shown, summary !== shown && summary);
}

function savedFilesText(message: JsonObject): string {
  const failed = objects(message['failed']).map(
    (file) => `- ${join(code(nonEmpty(file['filename']) ?? '?'), nonEmpty(file['error']))}`,
  );
  const title = join(`Files kept: ${objects(message['files']).length}`, failed.length > 0 && `not: ${failed.length}`);
  return withTitle(title, failed.join('\n'));
}

function memoryRecalled(message: JsonObject): string {
  const memories = objects(message['memories']).map((memory) =>
    withTitle(`- ${code(nonEmpty(memory['path']) ?? '?')}`, text(memory['content']) ?? ''),
  );
  return withTitle('Memory recalled', memories.join('\n'));
}

const modelFallback: LineDescriber = (message) =>
  nonEmpty(message['content']) ??
  join('Model changed', nonEmpty(message['original_model']), nonEmpty(message['fallback_model']));

function rateLimit(message: JsonObject): string {
  const info = message['rate_limit_info'];
  const share = parseAmount(field(info, 'utilization'));
  return join(
    'Rate limit',
    nonEmpty(field(info, 'status')),
    nonEmpty(field(info, 'rateLimitType')),
    share !== undefined && `${Math.round(share * 100)}% used`,
    resetText(field(info, 'resetsAt')),
  );
}

const limitNames = new Map([
  ['five_hour', '5 h'],
  ['seven_day', '7 d'],
  ['seven_day_opus', '7 d (Opus)'],
  ['seven_day_sonnet', '7 d (Sonnet)'],
  ['overage', 'extra usage'],
]);

/** The limit that a line is about, for the metadata of its entry. */
function limitsOf(message: JsonObject): JsonObject | undefined {
  const info = message['rate_limit_info'];
  const type = nonEmpty(field(info, 'rateLimitType'));
  if (type === undefined) return undefined;
  const share = parseAmount(field(info, 'utilization'));
  const reported = share === undefined ? undefined : share * 100;
  const used = field(info, 'status') === 'rejected' ? 100 : reported;
  const name = limitNames.get(type) ?? type.replaceAll('_', ' ');
  return { planLimits: [planLimit(name, used, field(info, 'resetsAt'))] };
}

/** Number of thinking tokens so far. */
export function thinkingText(tokens: number | undefined): string {
  return `Thinking: about ${tokens === undefined ? '?' : englishNumbers.count(tokens)} tokens`;
}

const elapsedText = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : englishNumbers.duration(Math.round(seconds) * 1000);

/** `system` lines by subtype. Others are unknown. */
const systemSubtypes = new Map<string, LineDescriber>([
  ['status', statusText],
  ['compact_boundary', compactionText],
  ['api_retry', retry],
  [
    'permission_denied',
    (m) =>
      join(`Denied: ${nonEmpty(m['tool_name']) ?? 'a tool'}`, nonEmpty(m['message']) ?? nonEmpty(m['decision_reason'])),
  ],
  ['task_started', (m) => join('Task started', taskText(m), m['is_backgrounded'] === true && 'in the background')],
  ['task_progress', taskProgress],
  [
    'task_updated',
    (m) => join('Task updated', nonEmpty(field(m['patch'], 'status')), nonEmpty(field(m['patch'], 'error'))),
  ],
  ['task_notification', (m) => join(`Task ${nonEmpty(m['status']) ?? 'ended'}`, taskText(m))],
  [
    'background_tasks_changed',
    (m) => {
      const tasks = objects(m['tasks']);
      return tasks.length === 0 ? 'No background tasks' : `Background tasks: ${tasks.map(taskText).join(', ')}`;
    },
  ],
  ['informational', (m) => nonEmpty(m['content']) ?? 'Notice'],
  ['hook_started', (m) => `Hook ${code(nonEmpty(m['hook_name']) ?? '?')} started`],
  ['hook_progress', (m) => withTitle(`Hook ${code(nonEmpty(m['hook_name']) ?? '?')}`, hookOutput(m).trimEnd())],
  ['hook_response', hookResponse],
  ['model_fallback', modelFallback],
  ['model_consent_fallback', modelFallback],
  ['model_refusal_fallback', modelFallback],
  [
    'model_refusal_no_fallback',
    (m) => nonEmpty(m['content']) ?? join('The model refused', nonEmpty(m['original_model'])),
  ],
  ['thinking_tokens', (m) => thinkingText(count(m['estimated_tokens']))],
  ['ui_invalidate', (m) => join('Interface update', nonEmpty(m['event']))],
  ['local_command_output', (m) => nonEmpty(m['content']) ?? 'Command output'],
  ['files_persisted', savedFilesText],
  ['memory_recall', memoryRecalled],
  ['notification', (m) => nonEmpty(m['text']) ?? 'Notice'],
  ['session_state_changed', (m) => join('Session', nonEmpty(m['state']))],
  ['plugin_install', (m) => join('Plugins', nonEmpty(m['name']), nonEmpty(m['status']), nonEmpty(m['error']))],
  ['commands_changed', (m) => `Commands: ${objects(m['commands']).length}`],
  ['elicitation_complete', (m) => join('Question answered', nonEmpty(m['mcp_server_name']))],
  ['mirror_error', (m) => join('The transcript could not be copied', nonEmpty(m['error']))],
  ['control_request_progress', requestProgress],
  ['worker_shutting_down', (m) => join('The agent is shutting down', nonEmpty(m['reason']))],
]);

/** Other types of lines about the run, outside the conversation. */
const otherTypes = new Map<string, LineDescriber>([
  ['rate_limit_event', rateLimit],
  [
    'tool_progress',
    (m) =>
      join(
        `${nonEmpty(m['tool_name']) ?? 'Tool'} is still running`,
        elapsedText(parseAmount(m['elapsed_time_seconds'])),
      ),
  ],
  ['tool_use_summary', (m) => nonEmpty(m['summary']) ?? 'Tool summary'],
  [
    'auth_status',
    (m) => withTitle(join('Authentication', nonEmpty(m['error'])), texts(m['output']).join('\n').trimEnd()),
  ],
  ['active_goal', goalText],
  ['conversation_reset', (m) => join('The conversation was cleared', nonEmpty(m['trigger']))],
  ['prompt_suggestion', (m) => nonEmpty(m['suggestion']) ?? 'Suggestion'],
  ['keep_alive', () => 'Still connected'],
  ['control_request', controlRequest],
  ['control_response', controlResponse],
  ['control_cancel_request', () => 'Request withdrawn'],
]);

function goalText({ value }: JsonObject): string {
  const condition = nonEmpty(field(value, 'condition'));
  return condition === undefined ? 'No goal' : join(`Goal: ${condition}`, nonEmpty(field(value, 'last_reason')));
}

function requestProgress(message: JsonObject): string {
  return message['status'] === 'api_retry' ? retry(message) : join('Request', nonEmpty(message['status']));
}

function controlRequest(message: JsonObject): string {
  const request = message['request'];
  const subtype = nonEmpty(field(request, 'subtype')) ?? '?';
  if (subtype !== 'can_use_tool') return `Request: ${subtype}`;
  return join(
    `Asks for permission: ${nonEmpty(field(request, 'tool_name')) ?? 'a tool'}`,
    nonEmpty(field(request, 'description')),
    nonEmpty(field(request, 'decision_reason')),
  );
}

function controlResponse(message: JsonObject): string {
  const response = message['response'];
  const commands = field(field(response, 'response'), 'commands');
  if (Array.isArray(commands)) return join('Ready for messages', `commands: ${commands.length}`);
  return join(`Answer: ${nonEmpty(field(response, 'subtype')) ?? '?'}`, nonEmpty(field(response, 'error')));
}

export interface SystemMessage {
  readonly subtype: string;
  readonly content: string;
  /** Metadata that only this kind of line has. */
  readonly metadata?: JsonObject;
}

/** A line about the run in words; `undefined` for an unknown kind. */
export function describeLine(message: JsonObject): SystemMessage | undefined {
  const type = text(message['type']) ?? '';
  const subtype = type === 'system' ? (text(message['subtype']) ?? '') : type;
  const describe = (type === 'system' ? systemSubtypes : otherTypes).get(subtype);
  if (describe === undefined) return undefined;
  const limits = subtype === 'rate_limit_event' ? limitsOf(message) : undefined;
  return { subtype, content: describe(message), ...(limits !== undefined && { metadata: limits }) };
}
