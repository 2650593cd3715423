import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { Todo, ToolAction } from '../../model/transcript/tool.ts';
import { count, field, nonEmpty, objects, text } from '../shared/guards.ts';

type Build = (input: JsonObject) => ToolAction;

const pathOf = (input: JsonObject): string => text(input['filePath']) ?? text(input['path']) ?? '';

const search: Build = (input) => {
  const path = nonEmpty(input['path']);
  return { kind: 'search', query: text(input['pattern']) ?? '', ...(path !== undefined && { path }) };
};

const known = new Map<string, Build>([
  [
    'read',
    (input) => {
      const offset = count(input['offset']);
      const limit = count(input['limit']);
      const startLine = offset === undefined ? undefined : offset + 1;
      return {
        kind: 'file_read',
        path: pathOf(input),
        ...(startLine !== undefined && { startLine }),
        ...(limit !== undefined && { endLine: (startLine ?? 1) + limit - 1 }),
      };
    },
  ],
  [
    'write',
    (input) => {
      const content = text(input['content']);
      return { kind: 'file_write', path: pathOf(input), ...(content !== undefined && { content }) };
    },
  ],
  [
    'edit',
    (input) => {
      const oldText = text(input['oldString']);
      const newText = text(input['newString']);
      return {
        kind: 'file_edit',
        changes: [
          {
            path: pathOf(input),
            kind: oldText === '' ? 'add' : 'update',
            ...(oldText !== undefined && { oldText }),
            ...(newText !== undefined && { newText }),
          },
        ],
      };
    },
  ],
  [
    'bash',
    (input) => {
      const description = nonEmpty(input['description']);
      const cwd = nonEmpty(input['workdir']);
      return {
        kind: 'command_run',
        command: text(input['command']) ?? '',
        ...(description !== undefined && { description }),
        ...(cwd !== undefined && { cwd }),
      };
    },
  ],
  ['grep', search],
  ['glob', search],
  ['list', (input) => ({ kind: 'search', query: pathOf(input) })],
  ['webfetch', (input) => ({ kind: 'web_fetch', url: text(input['url']) ?? '' })],
  ['websearch', (input) => ({ kind: 'web_search', query: text(input['query']) ?? '' })],
  ['todowrite', (input) => ({ kind: 'todo', todos: objects(input['todos']).map(todo) })],
  [
    'task',
    (input) => {
      const prompt = nonEmpty(input['prompt']);
      const agentType = nonEmpty(input['subagent_type']);
      return {
        kind: 'task',
        description: nonEmpty(input['description']) ?? prompt ?? '',
        ...(prompt !== undefined && { prompt }),
        ...(agentType !== undefined && { agentType }),
      };
    },
  ],
]);

export function toolAction(name: string, input: unknown): ToolAction {
  return known.get(name)?.(isObject(input) ? input : {}) ?? { kind: 'tool', input };
}

/** Adds the result to its call. */
export function completedAction(action: ToolAction, metadata: unknown): ToolAction {
  if (action.kind === 'command_run') {
    const exitCode = count(field(metadata, 'exit'));
    const stdout = text(field(metadata, 'output'));
    return { ...action, ...(exitCode !== undefined && { exitCode }), ...(stdout !== undefined && { stdout }) };
  }
  const patch = nonEmpty(field(metadata, 'diff'));
  const [change, ...others] = action.kind === 'file_edit' ? action.changes : [];
  if (action.kind !== 'file_edit' || change === undefined || others.length > 0 || patch === undefined) return action;
  return { ...action, changes: [{ ...change, patch }] };
}

function todo(item: JsonObject): Todo {
  const id = nonEmpty(item['id']);
  const status = item['status'];
  const known = status === 'in_progress' || status === 'completed' || status === 'cancelled' ? status : 'pending';
  return { ...(id !== undefined && { id }), text: text(item['content']) ?? '', status: known };
}
