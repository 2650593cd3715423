import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { FileChange, ToolAction } from '../../model/transcript/tool.ts';
import { count, nonEmpty, objects, text } from '../shared/guards.ts';

type Build = (input: JsonObject) => ToolAction;

const pathOf = (input: JsonObject): string => text(input['path']) ?? text(input['file_path']) ?? '';

const search: Build = (input) => {
  const path = nonEmpty(input['path']);
  return { kind: 'search', query: text(input['pattern']) ?? '', ...(path !== undefined && { path }) };
};

function change(path: string, edit: JsonObject): FileChange {
  const oldText = text(edit['oldText']);
  const newText = text(edit['newText']);
  return {
    path,
    kind: 'update',
    ...(oldText !== undefined && { oldText }),
    ...(newText !== undefined && { newText }),
  };
}

const known = new Map<string, Build>([
  [
    'read',
    (input) => {
      const startLine = count(input['offset']);
      const limit = count(input['limit']);
      return {
        kind: 'file_read',
        path: pathOf(input),
        ...(startLine !== undefined && { startLine }),
        ...(limit !== undefined && { endLine: (startLine ?? 1) + limit - 1 }),
      };
    },
  ],
  ['bash', (input) => ({ kind: 'command_run', command: text(input['command']) ?? '' })],
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
      const edits = objects(input['edits']);
      const path = pathOf(input);
      return { kind: 'file_edit', changes: (edits.length > 0 ? edits : [input]).map((edit) => change(path, edit)) };
    },
  ],
  ['grep', search],
  ['find', search],
  ['ls', (input) => ({ kind: 'search', query: pathOf(input) })],
]);

export function toolAction(name: string, input: unknown): ToolAction {
  return known.get(name)?.(isObject(input) ? input : {}) ?? { kind: 'tool', input };
}
