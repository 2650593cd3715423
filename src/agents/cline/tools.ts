import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { ToolAction } from '../../model/transcript/tool.ts';
import { nonEmpty, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';

export interface NamedAction {
  readonly toolName: string;
  readonly action: ToolAction;
  readonly input: unknown;
}

type Build = (tool: JsonObject) => ToolAction;

const pathOf = (tool: JsonObject): string => text(tool['path']) ?? '';

const edit: Build = (tool) => {
  const patch = nonEmpty(tool['diff']) ?? nonEmpty(tool['content']);
  return {
    kind: 'file_edit',
    changes: [{ path: pathOf(tool), kind: 'update', ...(patch !== undefined && { patch }) }],
  };
};

const create: Build = (tool) => {
  const content = text(tool['content']);
  return { kind: 'file_write', path: pathOf(tool), ...(content !== undefined && { content }) };
};

const list: Build = (tool) => ({ kind: 'search', query: pathOf(tool) });
const task: Build = (tool) => ({ kind: 'task', description: text(tool['content']) ?? '' });
const search: Build = (tool) => ({
  kind: 'search',
  query: text(tool['regex']) ?? text(tool['query']) ?? '',
  path: pathOf(tool),
});

const known = new Map<string, Build>([
  ['editedExistingFile', edit],
  ['appliedDiff', edit],
  ['searchAndReplace', edit],
  ['insertContent', edit],
  ['newFileCreated', create],
  ['fileDeleted', (tool) => ({ kind: 'file_edit', changes: [{ path: pathOf(tool), kind: 'delete' }] })],
  ['readFile', (tool) => ({ kind: 'file_read', path: pathOf(tool) })],
  ['listFilesTopLevel', list],
  ['listFilesRecursive', list],
  ['listCodeDefinitionNames', list],
  ['searchFiles', search],
  ['codebaseSearch', search],
  ['webFetch', (tool) => ({ kind: 'web_fetch', url: text(tool['path']) ?? '' })],
  ['webSearch', (tool) => ({ kind: 'web_search', query: text(tool['path']) ?? '' })],
  ['newTask', task],
]);

/** The content of a message about a tool: JSON with the tool's name. */
export function toolOf(content: string): NamedAction {
  const tool = parse(content);
  if (!isObject(tool)) return { toolName: 'unknown', action: { kind: 'tool' }, input: content };
  const toolName = nonEmpty(tool['tool']) ?? 'unknown';
  const action = known.get(toolName)?.(tool) ?? { kind: 'tool', input: tool };
  return { toolName, action, input: tool };
}

/** Suffix of a command that always needs approval. */
const approvalMark = /REQ_APP$/;

export function commandOf(content: string): NamedAction {
  const command = content.replace(approvalMark, '').trimEnd();
  return { toolName: 'execute_command', action: { kind: 'command_run', command }, input: { command } };
}

export function mcpOf(content: string): NamedAction {
  const call = parse(content);
  const fields = isObject(call) ? call : {};
  const input = parse(text(fields['arguments']) ?? '') ?? fields['arguments'];
  const tool = nonEmpty(fields['toolName']) ?? nonEmpty(fields['uri']) ?? 'unknown';
  const server = nonEmpty(fields['serverName']) ?? 'unknown';
  return { toolName: tool, action: { kind: 'mcp', server, tool, input }, input };
}

export function browserOf(content: string): NamedAction {
  const input = parse(content);
  return { toolName: 'browser_action', action: { kind: 'tool', input: input ?? content }, input: input ?? content };
}

export function subagentsOf(content: string): NamedAction {
  const input = parse(content);
  return {
    toolName: 'use_subagents',
    action: { kind: 'task', description: content.slice(0, 1000) },
    input: input ?? content,
  };
}
