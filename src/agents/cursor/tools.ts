import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { FileChange, Todo, ToolAction, ToolResult, ToolStatus } from '../../model/transcript/tool.ts';
import { isShallow } from '../shared/bounds.ts';
import { count, field, list, nonEmpty, objects, text } from '../shared/guards.ts';
import { textOfBlocks } from '../shared/resultText.ts';

type Build = (args: JsonObject) => ToolAction;

const pathOf = (args: JsonObject): string =>
  text(args['path']) ?? text(args['filePath']) ?? text(args['targetDirectory']) ?? '';

const read: Build = (args) => {
  const startLine = count(args['offset']);
  const limit = count(args['limit']);
  return {
    kind: 'file_read',
    path: pathOf(args),
    ...(startLine !== undefined && { startLine }),
    ...(limit !== undefined && { endLine: Math.max(0, (startLine ?? 1) + limit - 1) }),
  };
};

const write: Build = (args) => {
  const content = text(args['fileText']) ?? text(args['contents']) ?? text(args['content']);
  return { kind: 'file_write', path: pathOf(args), ...(content !== undefined && { content }) };
};

const edit: Build = (args) => {
  const oldText = text(args['oldString']) ?? text(args['oldText']);
  const newText = text(args['newString']) ?? text(args['newText']) ?? text(args['streamContent']);
  const change: FileChange = { path: pathOf(args), kind: 'update' };
  if (oldText !== undefined) change.oldText = oldText;
  if (newText !== undefined) change.newText = newText;
  return { kind: 'file_edit', changes: [change] };
};

const remove: Build = (args) => ({ kind: 'file_edit', changes: [{ path: pathOf(args), kind: 'delete' }] });

const shell: Build = (args) => {
  const cwd = nonEmpty(args['workingDirectory']);
  const description = nonEmpty(args['description']);
  return {
    kind: 'command_run',
    command: text(args['command']) ?? '',
    ...(cwd !== undefined && { cwd }),
    ...(description !== undefined && { description }),
    ...(args['isBackground'] === true && { background: true }),
  };
};

const search: Build = (args) => {
  const query = text(args['pattern']) ?? text(args['globPattern']) ?? text(args['query']) ?? pathOf(args);
  const path = nonEmpty(pathOf(args));
  return { kind: 'search', query, ...(path !== undefined && path !== query && { path }) };
};

const webSearch: Build = (args) => ({
  kind: 'web_search',
  query: text(args['searchTerm']) ?? text(args['query']) ?? '',
});
const webFetch: Build = (args) => ({ kind: 'web_fetch', url: text(args['url']) ?? '' });

const todos: Build = (args) => ({ kind: 'todo', todos: todosOf(args['todos']) });

function todosOf(value: unknown): Todo[] {
  return objects(value).map((item) => ({ text: text(item['content']) ?? '', status: todoStatus(item['status']) }));
}

function todoStatus(value: unknown): Todo['status'] {
  const name = typeof value === 'string' ? value.replace(/^TODO_STATUS_/, '').toLowerCase() : '';
  return name === 'in_progress' || name === 'completed' || name === 'cancelled' ? name : 'pending';
}

/** A partial list says nothing about the other items. */
const readTodos: Build = (args) =>
  Object.values(args).some((value) => list(value).length > 0 || nonEmpty(value) !== undefined)
    ? { kind: 'tool', input: args }
    : { kind: 'todo', todos: [] };

const task: Build = (args) => {
  const prompt = nonEmpty(args['prompt']);
  const agentType = nonEmpty(args['subagentType']) ?? nonEmpty(field(args['subagentType'], 'name'));
  return {
    kind: 'task',
    description: nonEmpty(args['description']) ?? prompt ?? '',
    ...(prompt !== undefined && { prompt }),
    ...(agentType !== undefined && { agentType }),
  };
};

const mcp: Build = (args) => ({
  kind: 'mcp',
  server: text(args['providerIdentifier']) ?? text(args['serverName']) ?? text(args['name']) ?? '',
  tool: text(args['toolName']) ?? text(args['name']) ?? '',
  input: args['args'],
});

const known = new Map<string, Build>([
  ['read', read],
  ['write', write],
  ['edit', edit],
  ['delete', remove],
  ['shell', shell],
  ['grep', search],
  ['glob', search],
  ['ls', search],
  ['semSearch', search],
  ['webSearch', webSearch],
  ['fetch', webFetch],
  ['webFetch', webFetch],
  ['updateTodos', todos],
  ['readTodos', readTodos],
  ['task', task],
  ['mcp', mcp],
]);

/** What a call does, from its kind and arguments; an unknown kind is a generic tool. */
export function toolAction(kind: string, args: unknown): ToolAction {
  return known.get(kind)?.(isObject(args) ? args : {}) ?? { kind: 'tool', input: args };
}

export interface Outcome {
  readonly action: ToolAction;
  readonly status: ToolStatus;
  readonly result: ToolResult;
}

const statuses: readonly (readonly [RegExp, ToolStatus])[] = [
  [/^success$/, 'success'],
  [/rejected|denied|notallowed|blocked/i, 'denied'],
  [/cancelled|canceled|aborted/i, 'cancelled'],
];

const failure = /error|fail|rejected|denied|notallowed|blocked|cancel|abort/i;

/** Adds a result to its call. Its only key names the outcome: `success`, `error`, `rejected`, `…Denied`. */
export function outcomeOf(action: ToolAction, result: unknown): Outcome {
  const parts = isObject(result) ? Object.entries(result) : [];
  const known = parts.find(([, part]) => isObject(part))?.[0];
  // A failure may be only a text.
  const failedPart = known === undefined ? parts.find(([key, part]) => failure.test(key) && nonEmpty(part)) : undefined;
  const name = known ?? failedPart?.[0] ?? 'success';
  const detail = isObject(result) && known !== undefined && isObject(result[known]) ? result[known] : {};
  const ended = completeAction(action, detail);
  const failedCommand = ended.kind === 'command_run' && typeof ended.exitCode === 'number' && ended.exitCode !== 0;
  const reported = statuses.find(([pattern]) => pattern.test(name))?.[1] ?? 'failed';
  // An answer of an MCP server is a success, even if it says that its tool failed.
  const status = reported === 'success' && (failedCommand || detail['isError'] === true) ? 'failed' : reported;
  const data =
    isObject(result) && isShallow(result)
      ? { ...result, ...(failedPart === undefined && { [name]: withoutTexts(detail, ended) }) }
      : undefined;
  return {
    action: ended,
    status,
    result: {
      text: nonEmpty(failedPart?.[1]) ?? (isObject(result) ? detailText(detail) : (textOfBlocks(result, '\n') ?? '')),
      isError: status !== 'success',
      ...(data !== undefined && { data }),
    },
  };
}

/** Parts of an outcome that the entry already has, in the result's text or the action. */
const shownByAction = new Set(['stdout', 'stderr', 'content', 'diffString']);

function withoutTexts(detail: JsonObject, { kind }: ToolAction): JsonObject {
  const isKept = (key: string): boolean => !shownByAction.has(key) && (key !== 'todos' || kind !== 'todo');
  return Object.fromEntries(Object.entries(detail).filter(([key]) => isKept(key)));
}

function detailText(detail: JsonObject): string {
  const output = [text(detail['stdout']), text(detail['stderr'])].filter((part) => part !== undefined && part !== '');
  if (output.length > 0) return output.join('\n');
  for (const key of ['content', 'output', 'diffString', 'errorMessage', 'error', 'message', 'reason', 'text']) {
    const shown = nonEmpty(detail[key]);
    if (shown !== undefined) return shown;
  }
  const blocks = list(detail['content']).map((block) => field(field(block, 'text'), 'text') ?? block);
  return textOfBlocks(blocks, '\n') ?? '';
}

function completeAction(action: ToolAction, detail: JsonObject): ToolAction {
  switch (action.kind) {
    case 'file_read': {
      const totalLines = count(detail['totalLines']);
      return totalLines === undefined ? action : { ...action, totalLines };
    }
    case 'file_edit':
      return { ...action, changes: completedChanges(action.changes, detail) };
    case 'command_run': {
      const code = detail['exitCode'];
      const stdout = text(detail['stdout']);
      const stderr = text(detail['stderr']);
      return {
        ...action,
        ...(typeof code === 'number' && Number.isSafeInteger(code) && { exitCode: code }),
        ...(stdout !== undefined && { stdout }),
        ...(stderr !== undefined && { stderr }),
      };
    }
    case 'todo': {
      const now = todosOf(detail['todos']);
      return now.length === 0 ? action : { ...action, todos: now };
    }
    default:
      return action;
  }
}

function completedChanges(changes: readonly FileChange[], detail: JsonObject): FileChange[] {
  const [first, ...rest] = changes;
  if (first === undefined) return [];
  const patch = nonEmpty(detail['diffString']);
  const added = count(detail['linesAdded']);
  const removed = count(detail['linesRemoved']);
  const change: FileChange = {
    ...first,
    ...(patch !== undefined && { patch }),
    ...(added !== undefined && { added }),
    ...(removed !== undefined && { removed }),
  };
  if (patch?.startsWith('--- /dev/null') === true) change.kind = 'add';
  return [change, ...rest];
}
