import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { Todo, ToolAction } from '../../../model/transcript/tool.ts';
import { count, nonEmpty, objects, text } from '../../shared/guards.ts';

type Build = (input: JsonObject) => ToolAction;

const pathOf = (input: JsonObject): string =>
  text(input['file_path']) ?? text(input['notebook_path']) ?? text(input['path']) ?? '';

const read: Build = (input) => {
  const startLine = count(input['offset']);
  const lines = count(input['limit']);
  return {
    kind: 'file_read',
    path: pathOf(input),
    ...(startLine !== undefined && { startLine }),
    ...(lines !== undefined && { endLine: Math.max(0, (startLine ?? 1) + lines - 1) }),
  };
};

const write: Build = (input) => {
  const content = text(input['content']);
  return { kind: 'file_write', path: pathOf(input), ...(content !== undefined && { content }) };
};

function change(path: string, oldText: unknown, newText: unknown) {
  const before = text(oldText);
  const after = text(newText);
  return {
    path,
    kind: 'update' as const,
    ...(before !== undefined && { oldText: before }),
    ...(after !== undefined && { newText: after }),
  };
}

const edit: Build = (input) => ({
  kind: 'file_edit',
  changes: [change(pathOf(input), input['old_string'], input['new_string'])],
});

const multiEdit: Build = (input) => {
  const edits = objects(input['edits']);
  if (edits.length === 0) return edit(input);
  return {
    kind: 'file_edit',
    changes: edits.map((one) => change(pathOf(input), one['old_string'], one['new_string'])),
  };
};

const notebookEdit: Build = (input) => ({
  kind: 'file_edit',
  changes: [change(pathOf(input), undefined, input['new_source'])],
});

const bash: Build = (input) => {
  const description = nonEmpty(input['description']);
  return {
    kind: 'command_run',
    command: text(input['command']) ?? '',
    ...(description !== undefined && { description }),
    ...(input['run_in_background'] === true && { background: true }),
  };
};

const search =
  (key: string): Build =>
  (input) => {
    const path = nonEmpty(input['path']);
    return { kind: 'search', query: text(input[key]) ?? '', ...(path !== undefined && { path }) };
  };

const webFetch: Build = (input) => ({ kind: 'web_fetch', url: text(input['url']) ?? '' });
const webSearch: Build = (input) => ({ kind: 'web_search', query: text(input['query']) ?? '' });

const task: Build = (input) => {
  const prompt = text(input['prompt']);
  const agentType = nonEmpty(input['subagent_type']);
  return {
    kind: 'task',
    description: text(input['description']) ?? '',
    ...(prompt !== undefined && { prompt }),
    ...(agentType !== undefined && { agentType }),
  };
};

export function todoStatus(value: unknown): Todo['status'] {
  if (value === 'in_progress' || value === 'completed') return value;
  return value === 'cancelled' || value === 'deleted' ? 'cancelled' : 'pending';
}

const todoWrite: Build = (input) => ({
  kind: 'todo',
  todos: objects(input['todos']).map((item) => ({
    text: text(item['content']) ?? '',
    status: todoStatus(item['status']),
  })),
});

const taskCreate: Build = (input) => ({
  kind: 'todo',
  todos: [{ text: text(input['subject']) ?? '', status: 'pending' }],
});

const taskList: Build = () => ({ kind: 'todo', todos: [] });

/** Tools of all versions. Other names are custom tools, MCP tools or later ones. */
const known = new Map<string, Build>([
  ['Read', read],
  ['NotebookRead', read],
  ['Write', write],
  ['Edit', edit],
  ['MultiEdit', multiEdit],
  ['NotebookEdit', notebookEdit],
  ['Bash', bash],
  ['PowerShell', bash],
  ['Grep', search('pattern')],
  ['Glob', search('pattern')],
  ['LS', search('pattern')],
  ['WebFetch', webFetch],
  ['WebSearch', webSearch],
  ['web_fetch', webFetch],
  ['web_search', webSearch],
  ['TodoWrite', todoWrite],
  ['TaskCreate', taskCreate],
  ['TaskUpdate', taskList],
  ['TaskList', taskList],
  ['TaskGet', taskList],
  ['Task', task],
  ['Agent', task],
]);

const mcpName = /^mcp__(.+?)__(.+)$/s;

/** What a call does, from its name and input alone. */
export function toolAction(name: string, input: unknown): ToolAction {
  const build = known.get(name);
  if (build !== undefined) return build(isObject(input) ? input : {});
  const mcp = mcpName.exec(name);
  if (mcp?.[1] !== undefined && mcp[2] !== undefined) return { kind: 'mcp', server: mcp[1], tool: mcp[2], input };
  return { kind: 'tool', input };
}
