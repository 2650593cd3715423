import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { FileChange, ToolAction } from '../../model/transcript/tool.ts';
import { count, nonEmpty, text } from './guards.ts';

/** Builds the action of a tool from its input. */
export type BuildAction = (input: JsonObject) => ToolAction;

/** The action of a tool by name; a tool without a builder is a `tool`. */
export function actionOf(builders: ReadonlyMap<string, BuildAction>, name: string, input: unknown): ToolAction {
  return builders.get(name)?.(isObject(input) ? input : {}) ?? { kind: 'tool', input };
}

/** A read of `limit` lines; `first` is the number of the line at offset 0. */
export function readAction(path: string, input: JsonObject, first: 0 | 1): ToolAction {
  const offset = count(input['offset']);
  const limit = count(input['limit']);
  const startLine = offset === undefined ? undefined : offset + first;
  return {
    kind: 'file_read',
    path,
    ...(startLine !== undefined && { startLine }),
    ...(limit !== undefined && { endLine: (startLine ?? 1) + limit - 1 }),
  };
}

export function writeAction(path: string, input: JsonObject): ToolAction {
  const content = text(input['content']);
  return { kind: 'file_write', path, ...(content !== undefined && { content }) };
}

/** A replaced text; `undefined` texts are unknown. */
export function textChange(path: string, oldText: string | undefined, newText: string | undefined): FileChange {
  return {
    path,
    kind: oldText === '' ? 'add' : 'update',
    ...(oldText !== undefined && { oldText }),
    ...(newText !== undefined && { newText }),
  };
}

export const searchAction: BuildAction = (input) => {
  const path = nonEmpty(input['path']);
  return { kind: 'search', query: text(input['pattern']) ?? '', ...(path !== undefined && { path }) };
};
