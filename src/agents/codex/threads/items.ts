import type { JsonObject } from '../../../model/text/json.ts';
import type { FileChange, ToolAction, ToolResult, ToolStatus } from '../../../model/transcript/tool.ts';
import { errorReason, resultText } from '../../shared/resultText.ts';
import { parseAmount, field, nonEmpty, objects, text, texts } from '../../shared/guards.ts';
import { shellWord } from '../../shared/describe.ts';
import { patchChanges } from '../oldEvents/patches.ts';
import type { CodexItem } from '../wire.ts';

/** A tool call in an item: each time the whole call, as far as known. */
export interface ItemCall {
  readonly toolName: string;
  readonly action: ToolAction;
  readonly input: unknown;
  readonly result: ToolResult | undefined;
  /** `undefined`: it is running. */
  readonly status: ToolStatus | undefined;
}

type ReadItem = (fields: JsonObject, status: ToolStatus | undefined) => Omit<ItemCall, 'status'>;

export function commandAction(command: string, exitCode: unknown): ToolAction {
  const code = typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? exitCode : undefined;
  return { kind: 'command_run', command, ...(code !== undefined && { exitCode: code }) };
}

const command: ReadItem = (fields, status) => {
  const shown = text(fields['command']) ?? texts(fields['command']).map(shellWord).join(' ');
  const output = text(fields['aggregated_output']) ?? '';
  return {
    toolName: 'command_execution',
    action: commandAction(shown, fields['exit_code']),
    input: { command: fields['command'] },
    result: status === undefined && output === '' ? undefined : { text: output, isError: isFailedStatus(status) },
  };
};

export function changeKind(value: unknown): FileChange['kind'] {
  return value === 'add' || value === 'delete' ? value : 'update';
}

/** The changes of an item: paths, and with the app-server their texts. */
export function fileChanges(changes: unknown): FileChange[] {
  return objects(changes).flatMap((change): FileChange[] => {
    const path = text(change['path']) ?? '';
    const kind = changeKind(field(change['kind'], 'type') ?? change['kind']);
    const diff = text(change['diff']);
    if (diff === undefined) return [{ path, kind }];
    const update = { unified_diff: diff, move_path: field(change['kind'], 'move_path') };
    return patchChanges({ [path]: { [kind]: kind === 'update' ? update : { content: diff } } });
  });
}

const fileChange: ReadItem = (fields, status) => {
  const changes = fields['changes'];
  return {
    toolName: 'file_change',
    action: { kind: 'file_edit', changes: Array.isArray(changes) ? fileChanges(changes) : patchChanges(changes) },
    input: { changes: changes },
    result: status === undefined ? undefined : { text: '', isError: isFailedStatus(status) },
  };
};

const mcpCall: ReadItem = (fields, status) => {
  const server = text(fields['server']) ?? '';
  const tool = text(fields['tool']) ?? '';
  const answer = fields['result'];
  const error = errorReason(fields['error']);
  const structured = field(answer, 'structured_content');
  const data = structured === null ? undefined : structured;
  const content = field(answer, 'content');
  const shown = error ?? resultText(content === undefined && data === undefined ? answer : content);
  const isError = isFailedStatus(status);
  return {
    toolName: server === '' ? tool : `${server}.${tool}`,
    action: { kind: 'mcp', server, tool, input: fields['arguments'] },
    input: fields['arguments'],
    result: status === undefined ? undefined : { text: shown, isError, ...(data !== undefined && { data }) },
  };
};

const webSearch: ReadItem = (fields, status) => {
  const what = fields['action'];
  const query = nonEmpty(field(what, 'query')) ?? text(fields['query']) ?? '';
  const url = nonEmpty(field(what, 'url'));
  const input = what === undefined ? { query: fields['query'] } : { query: fields['query'], action: what };
  const result = status === undefined ? undefined : { isError: isFailedStatus(status) };
  const action: ToolAction = url === undefined ? { kind: 'web_search', query } : { kind: 'web_fetch', url };
  return { toolName: 'web_search', action, input, result };
};

const todoList: ReadItem = (fields) => ({
  toolName: 'todo_list',
  action: {
    kind: 'todo',
    todos: objects(fields['items']).map((item) => ({
      text: text(item['text']) ?? '',
      status: item['completed'] === true ? 'completed' : item['in_progress'] === true ? 'in_progress' : 'pending',
    })),
  },
  input: { items: fields['items'] },
  result: undefined,
});

const collabCall: ReadItem = (fields, status) => {
  const tool = nonEmpty(fields['tool']) ?? 'collab_tool_call';
  const prompt = nonEmpty(fields['prompt']);
  const others = texts(fields['receiver_thread_ids']);
  const states = fields['agents_states'];
  const said = Object.values(isRecord(states) ? states : {}).flatMap(
    (state) => nonEmpty(field(state, 'message')) ?? [],
  );
  return {
    toolName: tool,
    action: {
      kind: 'task',
      description: prompt ?? [tool, ...others].join(' '),
      ...(prompt !== undefined && { prompt }),
    },
    input: { tool, prompt: fields['prompt'], receiver_thread_ids: fields['receiver_thread_ids'] },
    result:
      status === undefined ? undefined : { text: said.join('\n\n'), data: states, isError: isFailedStatus(status) },
  };
};

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

const known = new Map<string, ReadItem>([
  ['command_execution', command],
  ['file_change', fileChange],
  ['mcp_tool_call', mcpCall],
  ['web_search', webSearch],
  ['todo_list', todoList],
  ['collab_tool_call', collabCall],
]);

const statuses = new Map<string, ToolStatus>([
  ['completed', 'success'],
  ['failed', 'failed'],
  ['errored', 'failed'],
  ['declined', 'denied'],
  ['cancelled', 'cancelled'],
  ['interrupted', 'cancelled'],
]);

function isFailedStatus(status: ToolStatus | undefined): boolean {
  return status !== undefined && status !== 'success';
}

/** `undefined`: not a known tool call. `isComplete`: the line says that the item is complete. */
export function itemCall({ type, fields }: CodexItem, isComplete: boolean): ItemCall | undefined {
  const read = known.get(type);
  if (read === undefined) return undefined;
  const status = isComplete ? finalStatusOf(fields) : undefined;
  return { ...read(fields, status), status };
}

/** From its own status; if that is missing or unknown, from the exit code of its command. */
function finalStatusOf({ status, exit_code: exitCode }: JsonObject): ToolStatus {
  const known = statuses.get(text(status) ?? '');
  if (known !== undefined) return known;
  const code = parseAmount(exitCode) ?? exitCode;
  if (code === undefined || code === null) return nonEmpty(status) === undefined ? 'success' : 'failed';
  return code === 0 ? 'success' : 'failed';
}
