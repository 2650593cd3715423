import type { JsonObject } from '../../model/text/json.ts';
import type { ToolAction } from '../../model/transcript/tool.ts';
import { objects, text } from '../shared/guards.ts';
import {
  actionOf,
  readAction,
  searchAction,
  textChange,
  writeAction,
  type BuildAction,
} from '../shared/inputActions.ts';

const pathOf = (input: JsonObject): string => text(input['path']) ?? text(input['file_path']) ?? '';

const builders = new Map<string, BuildAction>([
  ['read', (input) => readAction(pathOf(input), input, 0)],
  ['bash', (input) => ({ kind: 'command_run', command: text(input['command']) ?? '' })],
  ['write', (input) => writeAction(pathOf(input), input)],
  [
    'edit',
    (input) => {
      const edits = objects(input['edits']);
      const path = pathOf(input);
      const changes = (edits.length > 0 ? edits : [input]).map(({ oldText, newText }) => ({
        ...textChange(path, text(oldText), text(newText)),
        kind: 'update' as const,
      }));
      return { kind: 'file_edit', changes };
    },
  ],
  ['grep', searchAction],
  ['find', searchAction],
  ['ls', (input) => ({ kind: 'search', query: pathOf(input) })],
]);

export function toolAction(name: string, input: unknown): ToolAction {
  return actionOf(builders, name, input);
}
