import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { FileChange, ToolAction, ToolStatus } from '../../../model/transcript/tool.ts';
import { count, field, list, nonEmpty, objects, text } from '../../shared/guards.ts';
import { withTabs } from '../texts/printedTabs.ts';

type Action<K extends ToolAction['kind']> = Extract<ToolAction, { kind: K }>;

/** The CLI's fixed text for a command with an exit code other than 0. */
const exitCode = /^(?:Error: )?Exit code (\d{1,9})\b/;

export interface Outcome {
  /** Text of the tool result. */
  readonly text: string;
  readonly isError: boolean;
  /** `tool_use_result`: the CLI's own form of the result; an object, a text or a list. */
  readonly detail: unknown;
}

/** Adds the result to the action. Never removes anything from it. */
export function completeAction(action: ToolAction, outcome: Outcome): ToolAction {
  const detail = isObject(outcome.detail) ? outcome.detail : {};
  switch (action.kind) {
    case 'file_read':
      return completedRead(action, detail);
    case 'file_edit':
      return completedEdit(action, detail);
    case 'file_write': {
      // As written: people can edit it when they allow it.
      const content = text(detail['content']);
      const type = nonEmpty(detail['type']);
      return {
        ...action,
        ...(content !== undefined && { content }),
        ...((type === 'create' || type === 'update') && { created: type === 'create' }),
      };
    }
    case 'command_run':
      return completedCommand(action, detail, outcome);
    case 'search':
      return completedSearch(action, detail);
    case 'web_fetch': {
      const status = count(detail['code']);
      return status === undefined ? action : { ...action, status };
    }
    case 'web_search':
      return completedWebSearch(action, outcome);
    default:
      return action;
  }
}

function completedRead(action: Action<'file_read'>, detail: JsonObject): ToolAction {
  const file = detail['file'];
  const start = action.startLine ?? count(field(file, 'startLine'));
  const lines = count(field(file, 'numLines'));
  const end =
    action.endLine ?? (start === undefined || lines === undefined ? undefined : start + Math.max(0, lines - 1));
  const total = count(field(file, 'totalLines'));
  return {
    ...action,
    ...(start !== undefined && { startLine: start }),
    ...(end !== undefined && { endLine: end }),
    ...(total !== undefined && { totalLines: total }),
  };
}

function completedEdit(action: Action<'file_edit'>, detail: JsonObject): ToolAction {
  const hunks = objects(detail['structuredPatch']);
  const before = text(detail['originalFile']) ?? text(detail['originalFileContents']) ?? '';
  const diff = unifiedDiff(withTabs(hunks, before, editsOf(action, detail)));
  const [first, ...rest] = action.changes;
  if (diff === undefined || first === undefined) return action;
  // One patch for the whole call: several edits of one file are one change on disk.
  return { ...action, changes: [{ ...first, ...diff }, ...rest] };
}

/** As applied: people can edit them when they allow them. */
function editsOf({ changes }: Action<'file_edit'>, detail: JsonObject): Parameters<typeof withTabs>[2] {
  const applied = {
    old_string: detail['oldString'],
    new_string: detail['newString'],
    replace_all: detail['replaceAll'],
  };
  const all = text(applied.new_string) === undefined ? objects(detail['edits']) : [applied];
  const requested = changes.map((change) => ({
    old_string: change.oldText,
    new_string: change.newText,
    replace_all: false,
  }));
  return (all.length > 0 ? all : requested).map((question) => ({
    oldText: text(question.old_string) ?? '',
    newText: text(question.new_string) ?? '',
    replacesAll: question.replace_all === true,
  }));
}

/** The CLI's `structuredPatch` as the body of a unified diff. */
function unifiedDiff(hunks: readonly JsonObject[]): Pick<FileChange, 'patch' | 'added' | 'removed'> | undefined {
  if (hunks.length === 0) return undefined;
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    const range = (start: string, length: string) => `${count(hunk[start]) ?? 0},${count(hunk[length]) ?? 0}`;
    lines.push(`@@ -${range('oldStart', 'oldLines')} +${range('newStart', 'newLines')} @@`);
    for (const line of list(hunk['lines'])) {
      if (typeof line !== 'string') continue;
      if (line.startsWith('+')) added += 1;
      if (line.startsWith('-')) removed += 1;
      lines.push(line);
    }
  }
  return { patch: lines.join('\n'), added, removed };
}

function completedCommand(action: Action<'command_run'>, detail: JsonObject, outcome: Outcome): ToolAction {
  const stdout = text(detail['stdout']);
  const stderr = text(detail['stderr']);
  const code = outcome.isError ? exitCode.exec(outcome.text)?.[1] : undefined;
  return {
    ...action,
    ...(stdout !== undefined && { stdout }),
    ...(stderr !== undefined && { stderr }),
    ...(code !== undefined && { exitCode: Number(code) }),
    ...(nonEmpty(detail['backgroundTaskId']) !== undefined && { background: true }),
  };
}

function completedSearch(action: Action<'search'>, detail: JsonObject): ToolAction {
  const matches =
    count(detail['numMatches']) ??
    count(detail['totalMatches']) ??
    (detail['mode'] === 'content' ? (count(detail['totalLines']) ?? count(detail['numLines'])) : undefined) ??
    count(detail['numFiles']);
  return matches === undefined ? action : { ...action, matches };
}

function completedWebSearch(action: Action<'web_search'>, outcome: Outcome): ToolAction {
  const found = isObject(outcome.detail)
    ? objects(outcome.detail['results']).flatMap((group) => links(group['content']))
    : links(outcome.detail);
  const results = found.length > 0 ? found : linksInText(outcome.text);
  return results.length === 0 ? action : { ...action, results: [...(action.results ?? []), ...results] };
}

function links(value: unknown): { url: string; title?: string }[] {
  return objects(value).flatMap((item) => {
    const url = nonEmpty(item['url']);
    const title = nonEmpty(item['title']);
    return url === undefined ? [] : [{ url, ...(title !== undefined && { title }) }];
  });
}

/** Versions without a structured result print their links as a line of JSON. */
function linksInText(content: string): { url: string; title?: string }[] {
  const start = content.indexOf('Links: [');
  if (start === -1) return [];
  const end = content.indexOf('\n', start);
  try {
    return links(JSON.parse(content.slice(start + 'Links: '.length, end === -1 ? undefined : end)));
  } catch {
    return [];
  }
}

/** The CLI's fixed texts, for versions without a field for it. */
const denials = [
  /^Claude requested permissions to .+, but you haven't granted it yet/s,
  /^This command requires approval$/,
  /^Permission to use .+ has been denied/s,
];
const interruptions = [
  /\[Request interrupted by user/,
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
];

/** How a call ended: from the line (`tool_result_meta`), and otherwise from fixed texts. */
export function resultStatus(content: string, isError: boolean, meta: JsonObject | undefined): ToolStatus {
  const decision = field(meta?.['permission_decision'], 'decision');
  if (decision === 'reject' || decision === 'deny') return 'denied';
  if (!isError) return 'success';
  const reason = meta?.['non_execution_kind'];
  if (reason === 'user-rejected' || reason === 'interrupted') return 'cancelled';
  if (reason === 'permission-rule') return 'denied';
  if (denials.some((pattern) => pattern.test(content))) return 'denied';
  return interruptions.some((pattern) => pattern.test(content)) ? 'cancelled' : 'failed';
}
