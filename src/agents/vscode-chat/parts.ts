import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { FileChange, ToolAction, ToolStatus, ToolUse } from '../../model/transcript/tool.ts';
import { limitDepth } from '../shared/bounds.ts';
import { describeCall } from '../shared/describe.ts';
import { count, field, nonEmpty, objects, text, texts } from '../shared/guards.ts';
import { parse, unknownContent } from '../shared/normalizer/lineLog.ts';
import type { DisplayedItem } from '../stores/displayedItems.ts';

/** Known parts that repeat others, or are only for the window. */
const ignored = new Set([
  'clearToPreviousToolInvocation',
  'codeblockUri',
  'command',
  'commandButton',
  'disabledClaudeHooks',
  'extensions',
  'hook',
  'mcpServersStarting',
  'multiDiffData',
  'notebookEditGroup',
  'prepareToolInvocation',
  'progressMessage',
  'progressTaskSerialized',
  'pullRequest',
  'references',
  'treeData',
  'undoStop',
  'workspaceEdit',
]);

/** The parts of an answer in order; consecutive texts are joined. */
export function itemsOf(response: unknown, requestId: string, folder: string): DisplayedItem[] {
  const items: DisplayedItem[] = [];
  let written = '';
  const close = () => {
    if (written.trim() !== '') items.push({ type: { kind: 'assistant_message' }, content: written });
    written = '';
  };
  for (const [at, part] of objects(response).entries()) {
    const shown = spokenText(part);
    if (shown !== undefined) {
      written += shown;
      continue;
    }
    const item = itemOf(part, `${requestId}-${at}`, folder);
    if (item === undefined) continue;
    close();
    items.push(item);
  }
  close();
  return items;
}

/** Markdown, and its links, which are separate parts. */
function spokenText(part: JsonObject): string | undefined {
  const { kind, value } = part;
  if (kind === undefined && typeof value === 'string') return value;
  if (kind === 'markdownContent') return markdown(part['content'] ?? value);
  if (kind === 'markdownVuln') return markdown(part['content']);
  if (kind !== 'inlineReference') return undefined;
  const reference = part['inlineReference'];
  const path = uriOf(reference) ?? uriOf(field(reference, 'uri')) ?? uriOf(field(field(reference, 'location'), 'uri'));
  const name = nonEmpty(part['name']) ?? nonEmpty(field(reference, 'name')) ?? path?.split('/').at(-1) ?? '';
  return name === '' ? '' : `\`${name}\``;
}

function itemOf(part: JsonObject, id: string, folder: string): DisplayedItem | undefined {
  const kind = text(part['kind']) ?? '';
  switch (kind) {
    case 'thinking': {
      const thought = typeof part['value'] === 'string' ? part['value'] : texts(part['value']).join('');
      return thought === '' ? undefined : { type: { kind: 'thinking', reasoning: thought }, content: thought };
    }
    case 'toolInvocation':
    case 'toolInvocationSerialized':
      return toolItem(part, id, folder);
    case 'textEditGroup':
      return editItem(part, id, folder);
    case 'warning':
      return noticeItem('warning', markdown(part['content']));
    case 'confirmation':
    case 'elicitation':
    case 'elicitationSerialized':
    case 'questionCarousel': {
      const shown = [markdown(part['title']), markdown(part['message'])]
        .filter((paragraph) => paragraph !== '')
        .join('\n\n');
      return noticeItem('question', shown === '' ? 'The agent asked a question.' : shown);
    }
    default: {
      if (ignored.has(kind)) return undefined;
      const type = { kind: 'system_message', subtype: 'unknown' } as const;
      return { type, content: unknownContent({ type: kind }), raw: JSON.stringify(part).slice(0, 10_000) };
    }
  }
}

function noticeItem(subtype: string, content: string): DisplayedItem {
  return { type: { kind: 'system_message', subtype }, content };
}

function toolItem(part: JsonObject, id: string, folder: string): DisplayedItem {
  const toolName = nonEmpty(part['toolId']) ?? 'unknown';
  const callId = nonEmpty(part['toolCallId']) ?? id;
  const data = part['toolSpecificData'];
  const details = part['resultDetails'];
  const input = field(data, 'rawInput') ?? parse(text(field(details, 'input')) ?? '') ?? field(details, 'input');
  const action = actionOf(data, input);
  const outputs = objects(field(details, 'output')).flatMap((line) => text(line['value']) ?? []);
  const status = statusOf(part, action);
  const shown = outputs.length > 0 ? outputs.join('\n') : markdown(part['pastTenseMessage']);
  const tool: ToolUse = {
    toolName,
    callId,
    action,
    status,
    ...(input !== undefined && { input: limitDepth(input) }),
    ...(status !== 'running' && { result: { text: shown, isError: status === 'failed' } }),
  };
  const parentCallId = nonEmpty(part['subAgentInvocationId']);
  if (parentCallId !== undefined) tool.parentCallId = parentCallId;
  const title = markdown(part['invocationMessage']);
  const described = action.kind === 'tool' && title !== '' ? title : describeCall(toolName, action, folder);
  return { type: { kind: 'tool_use', tool }, content: described, callId };
}

function actionOf(data: unknown, input: unknown): ToolAction {
  switch (field(data, 'kind')) {
    case 'terminal': {
      const line = field(data, 'commandLine');
      const edited = nonEmpty(field(line, 'userEdited')) ?? nonEmpty(field(line, 'toolEdited'));
      const command = edited ?? nonEmpty(field(line, 'original')) ?? nonEmpty(field(data, 'command')) ?? '';
      const exitCode = count(field(field(data, 'terminalCommandState'), 'exitCode'));
      const stdout = nonEmpty(field(field(data, 'terminalCommandOutput'), 'text'));
      return {
        kind: 'command_run',
        command,
        ...(exitCode !== undefined && { exitCode }),
        ...(stdout !== undefined && { stdout }),
      };
    }
    case 'todoList':
      return {
        kind: 'todo',
        todos: objects(field(data, 'todoList')).map((todo) => ({
          text: text(todo['title']) ?? '',
          status:
            todo['status'] === 'completed' ? 'completed' : todo['status'] === 'in-progress' ? 'in_progress' : 'pending',
        })),
      };
    case 'subagent': {
      const prompt = nonEmpty(field(data, 'prompt'));
      const agentType = nonEmpty(field(data, 'agentName'));
      return {
        kind: 'task',
        description: nonEmpty(field(data, 'description')) ?? prompt ?? '',
        ...(prompt !== undefined && { prompt }),
        ...(agentType !== undefined && { agentType }),
      };
    }
    default:
      return { kind: 'tool', ...(input !== undefined && { input: limitDepth(input) }) };
  }
}

/** `isConfirmed`: a boolean before 1.104, then an object whose type 0 is a denial. */
function statusOf(part: JsonObject, action: ToolAction): ToolStatus {
  const confirmed = part['isConfirmed'];
  if (confirmed === false || (isObject(confirmed) && confirmed['type'] === 0)) return 'denied';
  if (part['isComplete'] !== true) return 'running';
  const failed = field(part['resultDetails'], 'isError') === true;
  return failed || (action.kind === 'command_run' && (action.exitCode ?? 0) !== 0) ? 'failed' : 'success';
}

/** Edits that the window applies: each is shown as a call, because the agent changed the file. */
function editItem(part: JsonObject, id: string, folder: string): DisplayedItem | undefined {
  const path = uriOf(part['uri']);
  if (path === undefined) return undefined;
  const edits = Array.isArray(part['edits']) ? part['edits'].flatMap((edit: unknown) => objects(edit)) : [];
  const newText = edits.map((edit) => text(edit['text']) ?? '').join('\n');
  const change: FileChange = { path, kind: 'update', ...(newText !== '' && { newText }) };
  const action: ToolAction = { kind: 'file_edit', changes: [change] };
  const status = part['done'] === false ? 'running' : 'success';
  const tool: ToolUse = { toolName: 'edit', callId: id, action, status };
  return { type: { kind: 'tool_use', tool }, content: describeCall('edit', action, folder) };
}

export function markdown(value: unknown): string {
  return text(value) ?? text(field(value, 'value')) ?? '';
}

function uriOf(uri: unknown): string | undefined {
  return nonEmpty(field(uri, 'fsPath')) ?? nonEmpty(field(uri, 'path'));
}
