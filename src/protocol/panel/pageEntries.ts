import type { EntryType, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import { requestMetadataSchema } from '../../model/agent/request.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';
import type { FileChange, ToolAction, ToolResult, ToolUse } from '../../model/transcript/tool.ts';
import { Cutter } from './textCutter.ts';
import type { RequestState, PageEntry } from './messages.ts';

/** UTF-8 bytes per field. Longer ones are cut; `getEntry` returns them complete. */
export const budgets = {
  assistant: 256 * 1024,
  message: 64 * 1024,
  /** A tool's input, result, output, or text of a change. */
  tool: 4 * 1024,
  /** Agent-specific metadata of system messages; other entries have none. */
  metadata: 4 * 1024,
} as const;

const maxItems = 100;

/**
 * The entry as sent to the page. `step` is its number in the gutter. Tool calls whose action shows everything lose `input`.
 * Agent-specific metadata stays on system messages only, since most agents repeat it on every entry.
 */
export function pageEntry(entry: NormalizedEntry, step?: string): PageEntry {
  const cut = new Cutter();
  const { metadata, ...rest } = entry;
  const request = requestOf(entry);
  if (request !== undefined) return requestEntry(entry, request, cut);
  const kind = entry.type.kind;
  const contentBudget =
    kind === 'assistant_message' ? budgets.assistant : kind === 'tool_use' ? budgets.tool : budgets.message;
  const content = cut.cutText('content', entry.content, contentBudget);
  const type = pageType(entry, cut);
  const meta = metadata === undefined ? undefined : pageMetadata(metadata, kind === 'system_message', cut);
  const lengths = cut.lengths;
  return {
    ...rest,
    content,
    type,
    ...(meta !== undefined && { metadata: meta }),
    ...writer(entry),
    ...(step !== undefined && { step }),
    ...(lengths !== undefined && { cut: lengths }),
  };
}

/** The complete entry, as `getEntry` answers. */
export function wholeEntry(entry: NormalizedEntry): PageEntry {
  const asked = requestOf(entry);
  return { ...entry, ...writer(entry), ...(asked !== undefined && { asked }) };
}

/** Decides who wrote a message, so that the page need not. */
function writer(entry: NormalizedEntry): Pick<PageEntry, 'synthetic' | 'origin'> {
  return isSynthetic(entry) ? { synthetic: true, origin: originOf(entry) } : {};
}

function requestOf({ type, metadata }: NormalizedEntry): RequestState | undefined {
  if (type.kind !== 'system_message' || type.subtype !== 'request') return undefined;
  return requestMetadataSchema.safeParse(metadata).data;
}

/** Complete while it waits. Once it is decided, the budgets of tool calls apply. */
function requestEntry({ metadata, ...entry }: NormalizedEntry, state: RequestState, cut: Cutter): PageEntry {
  const content = cut.cutText('content', entry.content, budgets.tool);
  const meta = metadata === undefined ? undefined : pick(metadata);
  const page = { ...entry, content, ...(meta !== undefined && { metadata: meta }) };
  if (state.decision === undefined) return { ...page, asked: state };
  const { action, input, plan, ...request } = state.request;
  const short = {
    ...request,
    ...(action !== undefined && { action: pageAction(action, cut) }),
    ...(input !== undefined && { input: cut.json('input', input, budgets.tool) }),
    ...(plan !== undefined && { plan: cut.cutText('plan', plan, budgets.message) }),
  };
  return {
    ...page,
    asked: { ...state, request: short },
    ...(cut.lengths !== undefined && { cut: cut.lengths }),
  };
}

function pageType(entry: NormalizedEntry, cut: Cutter): EntryType {
  const { type } = entry;
  switch (type.kind) {
    case 'thinking':
      // Most agents print the same text in both.
      return type.reasoning === undefined || type.reasoning === entry.content
        ? { kind: 'thinking' }
        : { kind: 'thinking', reasoning: cut.cutText('type.reasoning', type.reasoning, budgets.message) };
    case 'tool_use':
      return { kind: 'tool_use', tool: pageTool(type.tool, cut) };
    case 'error': {
      const { message, stack } = type.error;
      return {
        kind: 'error',
        error: {
          ...type.error,
          message: cut.cutText('error.message', message, budgets.tool),
          ...(stack !== undefined && { stack: cut.cutText('error.stack', stack, budgets.tool) }),
        },
      };
    }
    default:
      return type;
  }
}

const standard = [
  'sessionId',
  'model',
  'parentCallId',
  'synthetic',
  'trigger_type',
  'trigger_reason',
  'aborted',
] as const;

function pageMetadata(metadata: NormalizedEntryMetadata, whole: boolean, cut: Cutter): NormalizedEntryMetadata {
  const { annotations, raw, ...agents } = metadata;
  const saved: NormalizedEntryMetadata = {};
  if (raw !== undefined) saved.raw = cut.cutText('metadata.raw', raw, budgets.tool);
  if (annotations !== undefined) saved.annotations = cut.list('metadata.annotations', annotations, maxItems);
  if (whole) {
    let room: number = budgets.metadata;
    for (const [key, value] of Object.entries(agents)) {
      // Keys such as `__proto__` are data here.
      const cutValue = cut.json(`metadata.${key}`, value, room);
      room = Math.max(0, room - JSON.stringify([cutValue]).length);
      Object.defineProperty(saved, key, { value: cutValue, enumerable: true, configurable: true, writable: true });
    }
    return saved;
  }
  return { ...saved, ...pick(metadata) };
}

function pick(metadata: NormalizedEntryMetadata): NormalizedEntryMetadata {
  return Object.fromEntries(standard.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])));
}

function pageTool(tool: ToolUse, cut: Cutter): ToolUse {
  const { input, result, ...rest } = tool;
  const action = pageAction(tool.action, cut);
  const generic = action.kind === 'tool' || action.kind === 'mcp';
  return {
    ...rest,
    action,
    // Generic tools have the same value in `action.input`.
    ...(generic &&
      input !== undefined &&
      action.input === undefined && { input: cut.json('input', input, budgets.tool) }),
    ...(result !== undefined && { result: pageResult(result, tool.action, cut) }),
  };
}

function pageResult(result: ToolResult, action: ToolAction, cut: Cutter): ToolResult {
  const { text, data, ...rest } = result;
  const shown = action.kind === 'command_run' && text !== undefined && text === action.stdout ? undefined : text;
  return {
    ...rest,
    ...(shown !== undefined && { text: cut.cutText('result.text', shown, budgets.tool) }),
    // For tools with a specific action, structured data repeats the text.
    ...(data !== undefined && text === undefined && { data: cut.json('result.data', data, budgets.tool) }),
  };
}

function pageAction(action: ToolAction, cut: Cutter): ToolAction {
  const short = (field: string, text: string) => cut.cutText(`action.${field}`, text, budgets.tool);
  const optional = (field: string, text: string | undefined) =>
    text === undefined ? undefined : { [field]: short(field, text) };
  switch (action.kind) {
    case 'file_write':
      return { ...action, ...optional('content', action.content) };
    case 'file_edit':
      return { ...action, changes: pageChanges(action.changes, cut) };
    case 'command_run':
      return {
        ...action,
        command: short('command', action.command),
        ...optional('stdout', action.stdout),
        ...optional('stderr', action.stderr),
      };
    case 'search':
      return { ...action, query: short('query', action.query) };
    case 'web_search':
      return action.results === undefined
        ? action
        : { ...action, results: cut.list('action.results', action.results, maxItems) };
    case 'todo':
      return { ...action, todos: cut.list('action.todos', action.todos, maxItems) };
    case 'task':
      return { ...action, ...optional('prompt', action.prompt) };
    case 'mcp':
    case 'tool':
      return action.input === undefined
        ? action
        : { ...action, input: cut.json('action.input', action.input, budgets.tool) };
    default:
      return action;
  }
}

/** A change with a patch needs neither text; all changes of one call share a budget of four. */
function pageChanges(changes: readonly FileChange[], cut: Cutter): FileChange[] {
  let room = 4 * budgets.tool;
  const spend = (field: string, text: string): string => {
    const saved = cut.cutText(field, text, Math.min(room, budgets.tool));
    room = Math.max(0, room - saved.length);
    return saved;
  };
  return cut.list('action.changes', changes, maxItems).map((change, at) => {
    const { oldText, newText, patch, ...rest } = change;
    if (patch !== undefined) return { ...rest, patch: spend(`action.changes.${at}.patch`, patch) };
    return {
      ...rest,
      ...(oldText !== undefined && { oldText: spend(`action.changes.${at}.oldText`, oldText) }),
      ...(newText !== undefined && { newText: spend(`action.changes.${at}.newText`, newText) }),
    };
  });
}
