import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { FileChange, ToolAction, ToolResult, ToolStatus } from '../../../model/transcript/tool.ts';
import { toolAction as claudeAction } from '../../claude-code/tools/toolActions.ts';
import { completeAction as claudeCompleted } from '../../claude-code/tools/toolOutcome.ts';
import { field, nonEmpty, text, texts } from '../../shared/guards.ts';
import { resultText } from '../../shared/resultText.ts';
import { shellWord } from '../../shared/describe.ts';
import type { ToolFields } from './toolFields.ts';

/** Output of the call's terminals. */
export interface TerminalOutput {
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  readonly output: string;
  readonly exitCode: number | null | undefined;
}

/** Tools that a call runs; only those where the call is the same action under another name. */
export function toolName({ name, claude, kind, title }: ToolFields): string {
  return name ?? claude?.toolName ?? (kind === undefined || kind === 'other' ? title : kind) ?? 'tool';
}

/** What a call does: from the agent's tool name if known, else from its kind. */
export function actionOf(fields: ToolFields, shown: TerminalOutput): ToolAction {
  const { claude, changes, status } = fields;
  if (claude === undefined) return actionByKind(fields, shown);
  const action = claudeAction(claude.toolName, fields.input);
  if (isGeneric(action)) return actionByKind(fields, shown);
  const outcome = { text: outputText(fields, shown), isError: status === 'failed', detail: claude.detail };
  const done = claudeCompleted(withCommand(action, fields, shown), outcome);
  return done.kind === 'file_edit' && changes.length > 0
    ? { ...done, changes: mergedChanges(done.changes, changes) }
    : done;
}

function isGeneric(action: ToolAction): boolean {
  return action.kind === 'tool' || (action.kind === 'file_read' && action.path === '');
}

function withCommand(action: ToolAction, fields: ToolFields, shown: TerminalOutput): ToolAction {
  if (action.kind !== 'command_run') return action;
  const command = action.command === '' ? (commandOf(fields, shown) ?? '') : action.command;
  return { ...action, command, ...exitOf(fields, shown) };
}

/** The patch of a completed change, and the texts of a displayed one. */
function mergedChanges(done: readonly FileChange[], shown: readonly FileChange[]): FileChange[] {
  return done.some(({ patch }) => patch !== undefined) ? [...done] : [...shown];
}

function actionByKind(fields: ToolFields, shown: TerminalOutput): ToolAction {
  const { kind, changes, locations, title } = fields;
  const input: JsonObject = isObject(fields.input) ? fields.input : {};
  const path = locations[0]?.path ?? pathOf(input);
  const other: ToolAction = { kind: 'tool', ...(fields.input !== undefined && { input: fields.input }) };
  if (changes.length > 0) return { kind: 'file_edit', changes: [...changes] };
  const server = nonEmpty(input['server']);
  const tool = nonEmpty(input['tool']);
  if (server !== undefined && tool !== undefined) {
    return { kind: 'mcp', server, tool, input: input['arguments'] ?? input['input'] };
  }
  switch (kind) {
    case 'read': {
      const line = locations[0]?.line;
      return path === undefined ? other : { kind: 'file_read', path, ...(line !== undefined && { startLine: line }) };
    }
    case 'edit':
    case 'move':
      return path === undefined ? other : { kind: 'file_edit', changes: fileChanges(fields, path, 'update') };
    case 'delete':
      return path === undefined ? other : { kind: 'file_edit', changes: fileChanges(fields, path, 'delete') };
    case 'search': {
      const query = nonEmpty(input['query']) ?? nonEmpty(input['pattern']) ?? title;
      if (query === undefined) return other;
      if (input['type'] === 'webSearch') return { kind: 'web_search', query };
      return { kind: 'search', query, ...(path !== undefined && { path }) };
    }
    case 'fetch': {
      const url = nonEmpty(input['url']);
      const query = nonEmpty(input['query']);
      if (url !== undefined) return { kind: 'web_fetch', url };
      return query === undefined ? other : { kind: 'web_search', query };
    }
    case 'execute':
      return commandRun(fields, shown) ?? other;
    default:
      return shown.command === undefined ? other : (commandRun(fields, shown) ?? other);
  }
}

function commandRun(fields: ToolFields, shown: TerminalOutput): ToolAction | undefined {
  const command = commandOf(fields, shown);
  if (command === undefined) return undefined;
  const cwd = nonEmpty(field(fields.input, 'cwd')) ?? shown.cwd;
  const description = nonEmpty(field(fields.input, 'description')) ?? fields.description;
  return {
    kind: 'command_run',
    command,
    ...(cwd !== undefined && { cwd }),
    ...(description !== undefined && { description }),
    ...exitOf(fields, shown),
    ...(terminalText(fields, shown) !== '' && { stdout: terminalText(fields, shown) }),
  };
}

/** In the input, else the title: agents without input show the command as the title. */
function commandOf({ input, title }: ToolFields, shown: TerminalOutput): string | undefined {
  const command = field(input, 'command') ?? field(input, 'cmd');
  const words = texts(command).map(shellWord).join(' ');
  return nonEmpty(words) ?? nonEmpty(command) ?? shown.command ?? (input === undefined ? title : undefined);
}

function exitOf(fields: ToolFields, shown: TerminalOutput): { exitCode?: number | null } {
  const exitCode = shown.exitCode ?? fields.exitCode;
  return exitCode === undefined ? {} : { exitCode };
}

const fileChanges = ({ locations }: ToolFields, path: string, kind: FileChange['kind']): FileChange[] =>
  (locations.length === 0 ? [{ path }] : locations).map((location) => ({ path: location.path, kind }));

function pathOf(input: JsonObject): string | undefined {
  for (const key of ['path', 'file_path', 'absolute_path', 'fileName']) {
    const path = nonEmpty(input[key]);
    if (path !== undefined) return path;
  }
  return undefined;
}

function terminalText({ streamed }: ToolFields, shown: TerminalOutput): string {
  return shown.output === '' ? streamed : shown.output;
}

/** Output of a call as text: the agent's raw output, else its display form. */
export function outputText(fields: ToolFields, shown: TerminalOutput): string {
  const { output, content } = fields;
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return resultText(output);
  for (const key of ['content', 'output', 'formatted_output', 'stdout', 'text', 'message']) {
    const own = text(field(output, key));
    if (own !== undefined) return own;
  }
  return content ?? terminalText(fields, shown);
}

export function resultOf(fields: ToolFields, shown: TerminalOutput, status: ToolStatus): ToolResult | undefined {
  const isError = status === 'failed' || status === 'denied';
  const result: ToolResult = {};
  const out = outputText(fields, shown);
  if (out !== '') result.text = out;
  const data = isObject(fields.output) ? fields.output : undefined;
  if (data !== undefined) result.data = data;
  if (Object.keys(result).length === 0 && !isError) return undefined;
  return { ...result, isError };
}

function hasCommandFailed(fields: ToolFields, shown: TerminalOutput): boolean {
  const { exitCode } = exitOf(fields, shown);
  if (exitCode === undefined || exitCode === null || exitCode === 0) return false;
  return actionOf(fields, shown).kind === 'command_run';
}

/** Fixed texts of adapters that have no field for it. */
const refusedText = /^User refused permission to run tool\b/;

export function statusOf(fields: ToolFields, shown: TerminalOutput, denied: boolean): ToolStatus {
  switch (fields.status) {
    case 'completed':
      // For many agents, a call is completed when the command has ended, whatever its exit code.
      return hasCommandFailed(fields, shown) ? 'failed' : 'success';
    case 'failed': {
      // The user stopped it while it ran; a refused permission has another name.
      if (fields.claude?.nonExecutionKind === 'user-rejected') return denied ? 'denied' : 'cancelled';
      const rejected =
        denied ||
        fields.claude?.nonExecutionKind === 'permission-rule' ||
        field(fields.output, 'code') === 'rejected' ||
        refusedText.test(outputText(fields, shown));
      return rejected ? 'denied' : 'failed';
    }
    case 'cancelled':
      return 'cancelled';
    case 'pending':
    case undefined:
      return 'created';
    default:
      return 'running';
  }
}
