import type { JsonObject } from '../../model/text/json.ts';
import type { Todo, ToolAction } from '../../model/transcript/tool.ts';
import { count, field, nonEmpty, objects, text } from '../shared/guards.ts';
import {
  actionOf,
  readAction,
  searchAction,
  textChange,
  writeAction,
  type BuildAction,
} from '../shared/inputActions.ts';

const pathOf = (input: JsonObject): string => text(input['filePath']) ?? text(input['path']) ?? '';

const builders = new Map<string, BuildAction>([
  ['read', (input) => readAction(pathOf(input), input, 1)],
  ['write', (input) => writeAction(pathOf(input), input)],
  [
    'edit',
    (input) => ({
      kind: 'file_edit',
      changes: [textChange(pathOf(input), text(input['oldString']), text(input['newString']))],
    }),
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
  ['grep', searchAction],
  ['glob', searchAction],
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
  return actionOf(builders, name, input);
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
