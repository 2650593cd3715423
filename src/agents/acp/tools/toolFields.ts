import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { FileChange } from '../../../model/transcript/tool.ts';
import { limitDepth } from '../../shared/bounds.ts';
import { count, field, nonEmpty, objects, text } from '../../shared/guards.ts';
import { contentText } from '../wire.ts';

/** Known fields of a tool call. Updates contain only changes. */
export interface ToolFields {
  name: string | undefined;
  title: string | undefined;
  kind: string | undefined;
  status: string | undefined;
  input: unknown;
  output: unknown;
  locations: readonly Location[];
  /** Changes of files, once the agent showed some. */
  changes: readonly FileChange[];
  /** The planned action in the agent's words: content from before it ran. */
  description: string | undefined;
  /** The result: content since it ran. */
  content: string | undefined;
  terminalIds: readonly string[];
  /** Output and exit code from an extension instead of a terminal. */
  streamed: string;
  exitCode: number | null | undefined;
  /** `_meta.claudeCode` of adapters of Claude Code. */
  claude: ClaudeFields | undefined;
}

export interface ClaudeFields {
  readonly toolName: string;
  readonly detail: unknown;
  readonly nonExecutionKind: string | undefined;
  readonly parentCallId: string | undefined;
}

export interface Location {
  readonly path: string;
  readonly line: number | undefined;
}

export const noFields: ToolFields = {
  name: undefined,
  title: undefined,
  kind: undefined,
  status: undefined,
  input: undefined,
  output: undefined,
  locations: [],
  changes: [],
  description: undefined,
  content: undefined,
  terminalIds: [],
  streamed: '',
  exitCode: undefined,
  claude: undefined,
};

/** Characters of output kept per call. */
export const maxOutput = 1024 * 1024;

/** The fields after an update. */
export function updateFields(before: ToolFields, update: JsonObject): ToolFields {
  const printed = nonEmpty(update['status']) ?? before.status;
  const status = hasEnded(before.status) && !hasEnded(printed) ? before.status : printed;
  const after: ToolFields = {
    ...before,
    status,
    name: nonEmpty(update['name']) ?? before.name,
    title: nonEmpty(update['title']) ?? before.title,
    kind: nonEmpty(update['kind']) ?? before.kind,
    input: limitIfPresent(update['rawInput']) ?? before.input,
    output: limitIfPresent(update['rawOutput']) ?? before.output,
    locations: locationsOf(update['locations']) ?? before.locations,
    claude: claudeFieldsOf(field(update['_meta'], 'claudeCode'), before.claude),
  };
  readExtensions(after, update['_meta']);
  after.exitCode = exitCodeOf(after.output) ?? after.exitCode;
  if (Array.isArray(update['content'])) readContent(after, objects(update['content']));
  return after;
}

/** An answered call does not wait again, whatever arrives late. */
function hasEnded(status: string | undefined): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** A permission request shows the call again, often in other words: it adds only what is unknown. */
export function fillUnknownFields(before: ToolFields, shown: JsonObject): ToolFields {
  const other = updateFields(noFields, shown);
  return {
    ...completedFields(before, other),
    input: isEmpty(before.input) ? (limitIfPresent(other.input) ?? before.input) : before.input,
  };
}

function completedFields(first: ToolFields, other: ToolFields): ToolFields {
  return {
    ...first,
    name: first.name ?? other.name,
    title: first.title ?? other.title,
    kind: first.kind ?? other.kind,
    status: first.status ?? other.status,
    locations: first.locations.length === 0 ? other.locations : first.locations,
    changes: first.changes.length === 0 ? other.changes : first.changes,
    description: first.description ?? other.description,
    claude: first.claude ?? other.claude,
  };
}

/** What a permission is for: the words of the request, completed with what is known. */
export function permissionFields(known: ToolFields, request: ToolFields): ToolFields {
  return {
    ...completedFields(request, known),
    input: isEmpty(request.input) ? known.input : request.input,
    terminalIds: known.terminalIds,
  };
}

/** One more item of content (version 2). */
export function withContent(before: ToolFields, item: unknown): ToolFields {
  const after = { ...before };
  const shown = isObject(item) && item['type'] === 'content' ? contentText(item['content']) : undefined;
  if (shown !== undefined) after.content = truncateShown((after.content ?? '') + shown);
  else readContent(after, objects([item]));
  return after;
}

export function truncateShown(content: string): string {
  return content.length > maxOutput ? `${content.slice(0, maxOutput)}…` : content;
}

function limitIfPresent(value: unknown): unknown {
  return value === undefined || value === null ? undefined : limitDepth(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

function locationsOf(value: unknown): readonly Location[] | undefined {
  const found = objects(value).flatMap((location) => {
    const path = nonEmpty(location['path']);
    return path === undefined ? [] : [{ path, line: count(location['line']) }];
  });
  return found.length === 0 ? undefined : found;
}

function claudeFieldsOf(meta: unknown, before: ClaudeFields | undefined): ClaudeFields | undefined {
  const toolName = nonEmpty(field(meta, 'toolName')) ?? before?.toolName;
  if (toolName === undefined) return before;
  return {
    toolName,
    detail: limitIfPresent(field(meta, 'toolResponse')) ?? before?.detail,
    nonExecutionKind: nonEmpty(field(meta, 'nonExecutionKind')) ?? before?.nonExecutionKind,
    parentCallId: nonEmpty(field(meta, 'parentToolUseId')) ?? before?.parentCallId,
  };
}

function readExtensions(after: ToolFields, meta: unknown): void {
  // Both extensions contain pieces of output; the client's capabilities decide which one an agent uses.
  const output = field(meta, 'terminal_output') ?? field(meta, 'terminal_output_delta');
  const outputText = text(field(output, 'data'));
  if (outputText !== undefined) after.streamed = truncateShown(after.streamed + outputText);
  const exit = field(meta, 'terminal_exit');
  if (isObject(exit)) after.exitCode = exitCode(exit['exit_code']) ?? after.exitCode;
}

/** Agents have no common field for it. */
function exitCodeOf(output: unknown): number | null | undefined {
  const codes = [field(output, 'exit_code'), field(output, 'exitCode'), field(field(output, 'metadata'), 'exit')];
  for (const code of codes) if (exitCode(code) !== undefined) return exitCode(code);
  for (const item of objects(field(output, 'contents'))) {
    const code = exitCode(item['exitCode']);
    if (code !== undefined) return code;
  }
  return undefined;
}

export function exitCode(value: unknown): number | null | undefined {
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** New content replaces old content; changes of files that were shown stay. */
function readContent(after: ToolFields, items: readonly JsonObject[]): void {
  const changes = items.flatMap((item) => (item['type'] === 'diff' ? changesOf(item) : []));
  if (changes.length > 0) after.changes = changes;
  const ids = items.flatMap((item) => (item['type'] === 'terminal' ? [nonEmpty(item['terminalId'])] : []));
  const terminalIds = ids.filter((id) => id !== undefined);
  if (terminalIds.length > 0) after.terminalIds = terminalIds;
  const shown = items.flatMap((item) => (item['type'] === 'content' ? [contentText(item['content'])] : []));
  const texts = shown.filter((label) => label !== undefined);
  if (texts.length === 0) return;
  if (after.status === undefined || after.status === 'pending') after.description = truncateShown(texts.join('\n'));
  else after.content = truncateShown(texts.join('\n'));
}

/** A diff: one file with old and new text in version 1; changes and one patch in version 2. */
function changesOf(diff: JsonObject): FileChange[] {
  const path = nonEmpty(diff['path']);
  if (path === undefined) return changesFromDiff(diff);
  const before = text(diff['oldText']);
  const after = text(diff['newText']);
  const kind = field(diff['_meta'], 'kind');
  const isNew = kind === 'add' || (kind !== 'update' && kind !== 'modify' && (before ?? '') === '');
  return [
    {
      path,
      kind: kind === 'delete' ? 'delete' : isNew ? 'add' : 'update',
      ...(before !== undefined && { oldText: before }),
      ...(after !== undefined && { newText: after }),
    },
  ];
}

const operations = new Map<unknown, FileChange['kind']>([
  ['add', 'add'],
  ['copy', 'add'],
  ['delete', 'delete'],
]);

function changesFromDiff(diff: JsonObject): FileChange[] {
  const changes = objects(diff['changes']).flatMap((change): FileChange[] => {
    const path = nonEmpty(change['newPath']) ?? nonEmpty(change['path']) ?? nonEmpty(change['oldPath']);
    return path === undefined ? [] : [{ path, kind: operations.get(change['operation']) ?? 'update' }];
  });
  const [first, ...rest] = changes;
  const whole = text(field(diff['patch'], 'text'));
  if (first === undefined || whole === undefined) return changes;
  // One patch for all of them, from its first hunk on.
  const start = /^@@ /m.exec(whole)?.index;
  if (start === undefined) return changes;
  const patch = whole.slice(start).trimEnd();
  const lines = patch.split('\n');
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length;
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length;
  return [{ ...first, patch, added, removed }, ...rest];
}
