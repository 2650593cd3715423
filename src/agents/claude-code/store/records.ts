import { type JsonObject, isObject } from '../../../model/text/json.ts';
import { blockText } from '../../shared/resultText.ts';
import { field, list, nonEmpty, objects, text } from '../../shared/guards.ts';
import { syntheticModel } from '../session.ts';

/** Records about the program itself, not the conversation. */
const bookkeeping = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'content-replacement',
  'cost-state',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'tag',
  'tools-used',
  'worktree-state',
]);

export function isBookkeeping(record: JsonObject): boolean {
  const type = nonEmpty(record['type']);
  if (type === 'system') return record['subtype'] === 'turn_duration' || record['subtype'] === 'stop_hook_summary';
  return type !== undefined && bookkeeping.has(type);
}

/**
 * Most bytes of a store are copies of requests and system prompts. They are recognized by the beginning of the line, which
 * their text cannot forge, and need not be parsed.
 */
const bulk =
  /^\{(?:"type":"(?:api-request(?:-shape|-blob)?|file-history-snapshot)"|"parentUuid":(?:null|"[^"]*"),"isSidechain":(?:true|false),(?:"agentId":"[^"]*",)?"attachment":\{"type":"(?!queued_command")[a-z_]+")/;

export function isBulk(text: string): boolean {
  return bulk.test(text);
}

const interrupted = '[Request interrupted by user';
/** Messages that the program writes on the user's side. */
const insertedPrefixes = ['<command-name>', '<local-command-', '<bash-', interrupted, '<system-reminder>'];

/** The text of a message that a person wrote; `undefined` for anything else. */
export function typedPrompt(record: JsonObject): string | undefined {
  if (record['type'] === 'attachment') return queuedPrompt(record['attachment']);
  if (record['type'] !== 'user' || record['isSidechain'] === true) return undefined;
  const marks = ['isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly'];
  if (marks.some((mark) => record[mark] === true)) return undefined;
  const origin = nonEmpty(field(record['origin'], 'kind'));
  if (origin !== undefined && origin !== 'human') return undefined;
  const content = field(record['message'], 'content');
  const blocks = typeof content === 'string' ? [content] : list(content);
  if (blocks.some((block) => isObject(block) && block['type'] === 'tool_result')) return undefined;
  const shown = blocks.map((block) => blockText(block) ?? '').join('\n');
  return shown.trim() === '' || insertedPrefixes.some((start) => shown.startsWith(start)) ? undefined : shown;
}

/** A message that was sent while the agent was running is stored as an attachment. */
function queuedPrompt(attachment: unknown): string | undefined {
  if (field(attachment, 'type') !== 'queued_command' || field(attachment, 'isMeta') === true) return undefined;
  const mode = nonEmpty(field(attachment, 'commandMode'));
  if (mode !== undefined && mode !== 'prompt') return undefined;
  const prompt = field(attachment, 'prompt');
  const shown =
    typeof prompt === 'string'
      ? prompt
      : list(prompt)
          .map((block) => blockText(block) ?? '')
          .join('\n');
  return shown.trim() === '' ? undefined : shown;
}

export function isInterruption(record: JsonObject): boolean {
  return firstText(record).startsWith(interrupted);
}

/** The user stopped or refused a call, not an answer. */
export function isToolInterruption(record: JsonObject): boolean {
  return firstText(record).startsWith(`${interrupted} for tool use`);
}

function firstText(record: JsonObject): string {
  const content = field(record['message'], 'content');
  return text(content) ?? text(field(list(content)[0], 'text')) ?? '';
}

const filler = 'No response requested.';

/** The program's placeholder for an answer when it resumes an interrupted conversation. */
export function isFiller(record: JsonObject): boolean {
  const message = record['message'];
  if (record['type'] !== 'assistant' || field(message, 'model') !== syntheticModel) return false;
  const blocks = objects(field(message, 'content'));
  return blocks.length === 1 && blocks[0]?.['text'] === filler;
}
