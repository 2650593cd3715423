import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { ToolAction, ToolResult, ToolStatus } from '../../../model/transcript/tool.ts';
import { count, list, nonEmpty, text, texts } from '../../shared/guards.ts';
import { resultText, withoutBulk } from '../../shared/resultText.ts';
import { isShallow } from '../../shared/bounds.ts';
import { fileDiffs, patchChanges, withDiffs } from './patches.ts';
import type { ToolCall, ToolOutcome } from '../wire.ts';

type Build = (input: JsonObject) => ToolAction;

const pathOf = (input: JsonObject): string => text(input['path']) ?? text(input['file_path']) ?? '';

const view: Build = (input) => {
  const [startLine, endLine] = list(input['view_range']).map(count);
  return {
    kind: 'file_read',
    path: pathOf(input),
    ...(startLine !== undefined && { startLine }),
    ...(endLine !== undefined && { endLine }),
  };
};

const create: Build = (input) => {
  const content = text(input['file_text']);
  return { kind: 'file_write', path: pathOf(input), ...(content !== undefined && { content }) };
};

const edit: Build = (input) => {
  const oldText = text(input['old_str']);
  const newText = text(input['new_str']) ?? text(input['insert_text']);
  const change = {
    path: pathOf(input),
    kind: 'update' as const,
    ...(oldText !== undefined && { oldText }),
    ...(newText !== undefined && { newText }),
  };
  return { kind: 'file_edit', changes: [change] };
};

/** Early versions have one tool for all three. */
const editor: Build = (input) => {
  if (input['command'] === 'view') return view(input);
  return input['command'] === 'create' ? create(input) : edit(input);
};

const shell: Build = (input) => {
  const description = nonEmpty(input['description']);
  const cwd = nonEmpty(input['cwd']);
  return {
    kind: 'command_run',
    command: text(input['command']) ?? '',
    ...(description !== undefined && { description }),
    ...(cwd !== undefined && { cwd }),
    ...((input['mode'] === 'async' || input['async'] === true) && { background: true }),
  };
};

const search: Build = (input) => {
  const path = nonEmpty(input['paths']) ?? nonEmpty(input['path']) ?? nonEmpty(texts(input['paths']).join(', '));
  return { kind: 'search', query: text(input['pattern']) ?? '', ...(path !== undefined && { path }) };
};

const webFetch: Build = (input) => ({ kind: 'web_fetch', url: text(input['url']) ?? '' });
const webSearch: Build = (input) => ({ kind: 'web_search', query: text(input['query']) ?? '' });

const task: Build = (input) => {
  const prompt = text(input['prompt']);
  const agentType = nonEmpty(input['agent_type']);
  return {
    kind: 'task',
    description: text(input['description']) ?? '',
    ...(prompt !== undefined && { prompt }),
    ...(agentType !== undefined && { agentType }),
  };
};

/** The tools for models of all vendors. Other names are MCP tools or later ones. */
const known = new Map<string, Build>([
  ['view', view],
  ['create', create],
  ['edit', edit],
  ['str_replace', edit],
  ['insert', edit],
  ['str_replace_editor', editor],
  ['bash', shell],
  ['powershell', shell],
  ['grep', search],
  ['rg', search],
  ['glob', search],
  ['web_fetch', webFetch],
  ['web_search', webSearch],
  ['task', task],
]);

/** What a call does, from its name and input alone. */
export function toolAction({ name, input, mcp }: Omit<ToolCall, 'id'>): ToolAction {
  if (mcp !== undefined) return { kind: 'mcp', ...mcp, input };
  if (name === 'apply_patch') {
    const patch = text(input) ?? (isObject(input) ? (text(input['input']) ?? text(input['patch'])) : undefined) ?? '';
    return { kind: 'file_edit', changes: patchChanges(patch) };
  }
  const build = known.get(name);
  return build === undefined ? { kind: 'tool', input } : build(isObject(input) ? input : {});
}

/** The CLI's own last line of a command's output; early versions do not name the shell. */
const shellMark = /\n?<(?:shellId: [^<>\n]{1,200}|exited with exit code -?\d{1,9})>\s*$/;
const exitInMark = /<(?:shellId: [^<>\n]* completed|exited) with exit code (-?\d{1,9})>\s*$/;

export interface Outcome {
  readonly action: ToolAction;
  readonly status: ToolStatus;
  readonly result: ToolResult;
}

/** Printed output by stream. */
export interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

/** Adds the end of a call to its action. */
export function outcomeOf(action: ToolAction, outcome: ToolOutcome, streams: Streams | undefined): Outcome {
  const result = resultOf(action, outcome);
  const done = completeAction(action, outcome, streams);
  if (!outcome.success) return { action: done, status: failure(outcome.errorCode), result };
  const failed = done.kind === 'command_run' && (done.exitCode ?? 0) !== 0;
  return { action: done, status: failed ? 'failed' : 'success', result };
}

function resultOf(action: ToolAction, { success, content, detail, blocks, errorMessage }: ToolOutcome): ToolResult {
  const parts = [content ?? (Array.isArray(blocks) ? resultText(blocks) : undefined), errorMessage];
  const shown = [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join('\n');
  // `view` shows people the file as a diff without changes.
  const reported =
    detail === content || action.kind === 'file_read' || (detail !== undefined && isDiff(action, detail));
  const rich = list(blocks).some((block) => isObject(block) && block['type'] !== 'text');
  const data = {
    ...(detail !== undefined && !reported && { detailedContent: detail }),
    ...(rich && isShallow(blocks) && { contents: withoutBulk(blocks) }),
  };
  return { text: shown, isError: !success, ...(Object.keys(data).length > 0 && { data }) };
}

function isDiff(action: ToolAction, detail: string): boolean {
  return (action.kind === 'file_edit' || action.kind === 'file_write') && /^diff --git /m.test(detail);
}

function completeAction(
  action: ToolAction,
  { content = '', detail, exitCode }: ToolOutcome,
  streams?: Streams,
): ToolAction {
  if (action.kind === 'file_edit' && detail !== undefined) {
    return { ...action, changes: withDiffs(action.changes, fileDiffs(detail)) };
  }
  if (action.kind !== 'command_run') return action;
  const markedExitCode = exitInMark.exec(content)?.[1];
  const code = exitCode ?? (markedExitCode === undefined ? undefined : Number(markedExitCode));
  const printed = content.replace(shellMark, '');
  return {
    ...action,
    ...(code !== undefined && { exitCode: code }),
    ...(streams ?? (printed !== '' && action.stdout === undefined && { stdout: printed })),
  };
}

const denials = new Set(['denied', 'rejected', 'permission_denied']);
const cancellations = new Set(['cancelled', 'canceled', 'aborted', 'interrupted']);

function failure(code: string | undefined): ToolStatus {
  if (code === undefined) return 'failed';
  return denials.has(code) ? 'denied' : cancellations.has(code) ? 'cancelled' : 'failed';
}
