import type { AgentRequest } from '../../src/model/agent/request.ts';
import type { ToolAction } from '../../src/model/transcript/tool.ts';
import { shownChanges } from '../steps/diff.ts';
import { isObject } from '../text/objects.ts';

/** Agents' names for the input fields that a request's row draws. */
const names = {
  command: ['command', 'cmd'],
  cwd: ['cwd'],
  description: ['description'],
  path: ['file_path', 'notebook_path', 'path', 'absolute_path', 'filePath', 'fileName'],
  before: ['old_string', 'old_str', 'old_text', 'oldText'],
  after: ['new_string', 'new_str', 'new_text', 'newText', 'new_source'],
  content: ['content', 'file_text', 'text'],
  query: ['query', 'pattern'],
  url: ['url'],
  prompt: ['prompt'],
  agentType: ['subagent_type', 'agent_type', 'subagentType', 'agent_name'],
  todo: ['content', 'subject', 'text'],
  plan: ['plan'],
} as const;
/** Lists whose items the row draws. Other lists and objects are always shown. */
const lists: ReadonlySet<string> = new Set(['edits', 'changes', 'todos']);

type Field = keyof typeof names;
type ShownField = [field: Field, text: string | undefined];

/**
 * The part of a call's input that its action and description do not show, such as options to run in the background or
 * without a sandbox. `undefined` if there is none.
 */
export function findUnshownInput({ kind, action, input, description, cwd, plan }: AgentRequest): unknown {
  if (kind === 'plan') return isObject(input) ? unlessEmpty(removeShown(input, [['plan', plan]])) : input;
  if (action === undefined || action.kind === 'tool' || action.kind === 'mcp') return input;
  if (!isObject(input)) return input;
  // Each drawn text accounts for one input field with its name.
  const drawn: ShownField[] = [...shownFields(action), ['description', description], ['cwd', cwd]];
  return unlessEmpty(removeShown(input, drawn));
}

/** The fields that the subject of a request draws. */
function shownFields(action: Exclude<ToolAction, { kind: 'tool' | 'mcp' }>): ShownField[] {
  switch (action.kind) {
    case 'command_run':
      return [['command', action.command]];
    case 'file_edit':
      return shownChanges(action.changes).flatMap(({ path, patch, oldText, newText }): ShownField[] => [
        ['path', path],
        ...(patch === undefined
          ? ([
              ['before', oldText],
              ['after', newText],
            ] satisfies ShownField[])
          : []),
      ]);
    case 'file_write':
      return [
        ['path', action.path],
        ['content', action.content],
      ];
    case 'file_read':
      return [['path', action.path]];
    case 'search':
      return [
        ['query', action.query],
        ['path', action.path],
      ];
    case 'web_search':
      return [['query', action.query]];
    case 'web_fetch':
      return [['url', action.url]];
    case 'task':
      return [
        action.prompt === undefined ? ['description', action.description] : ['prompt', action.prompt],
        ['agentType', action.agentType],
      ];
    case 'todo':
      return action.todos.map(({ text }) => ['todo', text]);
  }
}

function removeShown(input: Readonly<Record<string, unknown>>, drawn: ShownField[]): Readonly<Record<string, unknown>> {
  const left = Object.entries(input).flatMap(([key, value]) => {
    const rest = removeShownValue(key, value, drawn);
    return isEmpty(rest) ? [] : [[key, rest] as const];
  });
  return Object.fromEntries(left);
}

function removeShownValue(key: string, value: unknown, drawn: ShownField[]): unknown {
  if (typeof value === 'string') {
    const at = drawn.findIndex(([field, text]) => text === value && isNamed(field, key));
    if (at === -1) return value;
    drawn.splice(at, 1);
    return undefined;
  }
  if (!Array.isArray(value) || !lists.has(key)) return value;
  const rest = value.map((one: unknown) => (isObject(one) ? removeShown(one, drawn) : one));
  return rest.filter((one) => !isEmpty(one));
}

function isNamed(field: Field, key: string): boolean {
  const keys: readonly string[] = names[field];
  return keys.includes(key);
}

const unlessEmpty = <T>(value: T): T | undefined => (isEmpty(value) ? undefined : value);

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}
