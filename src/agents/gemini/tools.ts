import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { Todo, ToolAction, ToolStatus } from '../../model/transcript/tool.ts';
import { count, nonEmpty, text } from '../shared/guards.ts';
import { todosOf, type ToolResultLine } from './wire.ts';

type Build = (input: JsonObject) => ToolAction;

const pathOf = (input: JsonObject): string =>
  text(input['file_path']) ?? text(input['absolute_path']) ?? text(input['dir_path']) ?? text(input['path']) ?? '';

const read: Build = (input) => {
  const offset = count(input['offset']);
  const startLine = count(input['start_line']) ?? (offset === undefined ? undefined : offset + 1);
  const limit = count(input['limit']);
  const endLine = count(input['end_line']) ?? (limit === undefined ? undefined : (startLine ?? 1) + limit - 1);
  return {
    kind: 'file_read',
    path: pathOf(input),
    ...(startLine !== undefined && { startLine }),
    ...(endLine !== undefined && { endLine }),
  };
};

const write: Build = (input) => {
  const content = text(input['content']);
  return { kind: 'file_write', path: pathOf(input), ...(content !== undefined && { content }) };
};

const replace: Build = (input) => {
  const oldText = text(input['old_string']);
  const newText = text(input['new_string']);
  const change = { path: pathOf(input), kind: oldText === '' ? ('add' as const) : ('update' as const) };
  return {
    kind: 'file_edit',
    changes: [{ ...change, ...(oldText !== undefined && { oldText }), ...(newText !== undefined && { newText }) }],
  };
};

const shell: Build = (input) => {
  const description = nonEmpty(input['description']);
  const cwd = nonEmpty(input['dir_path']) ?? nonEmpty(input['directory']);
  return {
    kind: 'command_run',
    command: text(input['command']) ?? '',
    ...(description !== undefined && { description }),
    ...(cwd !== undefined && { cwd }),
    ...(input['is_background'] === true && { background: true }),
  };
};

const search: Build = (input) => {
  const path = nonEmpty(pathOf(input));
  return { kind: 'search', query: text(input['pattern']) ?? '', ...(path !== undefined && { path }) };
};

const list: Build = (input) => ({ kind: 'search', query: pathOf(input) });
const webSearch: Build = (input) => ({ kind: 'web_search', query: text(input['query']) ?? '' });
const webFetch: Build = (input) => ({ kind: 'web_fetch', url: text(input['url']) ?? text(input['prompt']) ?? '' });

const todos: Build = (input) => ({
  kind: 'todo',
  todos: todosOf(input['todos']).map(({ text: shown, status }) => ({ text: shown, status: todoStatus(status) })),
});

function todoStatus(value: unknown): Todo['status'] {
  return value === 'in_progress' || value === 'completed' || value === 'cancelled' ? value : 'pending';
}

const agent: Build = (input) => {
  const prompt = nonEmpty(input['prompt']) ?? nonEmpty(input['objective']);
  const agentType = nonEmpty(input['agent_name']);
  return {
    kind: 'task',
    description: prompt ?? agentType ?? '',
    ...(prompt !== undefined && { prompt }),
    ...(agentType !== undefined && { agentType }),
  };
};

/** Built-in tools of all versions. Other names are MCP tools or later ones. */
const known = new Map<string, Build>([
  ['read_file', read],
  ['write_file', write],
  ['replace', replace],
  ['run_shell_command', shell],
  ['grep_search', search],
  ['search_file_content', search],
  ['glob', search],
  ['list_directory', list],
  ['google_web_search', webSearch],
  ['web_fetch', webFetch],
  ['write_todos', todos],
  ['invoke_agent', agent],
  ['delegate_to_agent', agent],
  ['codebase_investigator', agent],
]);

/**
 * `mcp_<server>_<tool>`; before, `<server>__<tool>`. If a server's name contains `_`, it cannot be separated from the tool's.
 */
const mcpNames = [/^mcp_([^_]+)_(.+)$/s, /^(.+?)__(.+)$/s];

export function toolAction(name: string, input: unknown): ToolAction {
  const build = known.get(name);
  if (build !== undefined) return build(isObject(input) ? input : {});
  for (const pattern of mcpNames) {
    const match = pattern.exec(name);
    if (match?.[1] !== undefined && match[2] !== undefined) {
      return { kind: 'mcp', server: match[1], tool: match[2], input };
    }
  }
  return { kind: 'tool', input };
}

/** Tools with which the program uses models outside the conversation. */
export function asksModels({ kind }: ToolAction): boolean {
  return kind === 'task' || kind === 'web_search' || kind === 'web_fetch';
}

/** The CLI's fixed text for a command with an exit code other than 0, which counts as a success there. */
const exitCode = /(?:^|\n)(?:Command exited with code|Exit Code): (\d{1,9})\s*$/;

export interface Outcome {
  readonly action: ToolAction;
  readonly status: ToolStatus;
}

/** Adds a result to its call. */
export function outcomeOf(toolName: string, action: ToolAction, result: ToolResultLine): Outcome {
  if (action.kind === 'command_run' && !result.isError) {
    const code = Number(exitCode.exec(result.output ?? '')?.[1] ?? 0);
    return code === 0 ? { action, status: 'success' } : { action: { ...action, exitCode: code }, status: 'failed' };
  }
  return { action, status: result.isError ? failure(toolName, result.errorType) : 'success' };
}

/** Not `permission_denied`, which comes from the file system. */
const denials = new Set(['policy_violation', 'execution_denied']);

function failure(toolName: string, errorType: string | undefined): ToolStatus {
  if (errorType !== undefined && denials.has(errorType)) return 'denied';
  // Tools that the approval mode does not allow do not exist.
  if (errorType === 'tool_not_registered' && known.has(toolName)) return 'denied';
  return errorType === 'cancelled' || errorType === 'user_cancelled' ? 'cancelled' : 'failed';
}
