import type { ToolAction, ToolUse } from '../../src/model/transcript/tool.ts';
import type { PageEntry, WaitingRequest } from '../../src/protocol/panel/messages.ts';
import { plural, t } from '../l10n.ts';
import { millisecondsBetween, duration, formatNumber } from '../text/format.ts';
import { splitPath } from '../text/paths.ts';
import { firstWords, plain } from '../text/visible.ts';
import { changeCounts, shownChanges } from './diff.ts';
import { type RunState, stateForScreenReader, stateWord, stepState, type StepState } from './state.ts';

/** One tool call in its row. `counts` are added and removed lines. */
export interface StepView {
  readonly icon: string;
  readonly verb: string;
  readonly object: string;
  readonly isMonospace: boolean;
  readonly folder: string;
  readonly note: string;
  readonly counts: { readonly added: number; readonly removed: number } | undefined;
  readonly state: StepState;
  readonly word: string;
  readonly durationMs: number | undefined;
  readonly startedAt: string | undefined;
  /** Whole sentence, for screen readers. */
  readonly label: string;
  /** Everything that a narrow row may cut. */
  readonly title: string;
  /** Path or command, for "copy". */
  readonly subject: string;
}

type StepDescription = Pick<StepView, 'icon' | 'verb' | 'object'> &
  Partial<Pick<StepView, 'isMonospace' | 'folder' | 'note' | 'counts' | 'subject'>>;

export interface StepContext extends RunState {
  readonly projectDir: string | undefined;
}

export function describeStep(entry: PageEntry, tool: ToolUse, { projectDir, ...run }: StepContext): StepView {
  const state = stepState(tool, run);
  const described = describeAction(tool, state === 'running', projectDir, entry.cut !== undefined);
  const shown = state === 'approval' ? describeWaiting(described, tool, run.waits) : described;
  const word = state === 'approval' && run.waits?.kind === 'question' ? t('needs your answer') : stateWord(state, tool);
  const durationMs = millisecondsBetween(tool.startedAt, tool.endedAt);
  const { isMonospace = false, folder = '', note = '', counts, subject = shown.object } = shown;
  const sentence = [
    entry.step === undefined ? '' : t('Step {0}', entry.step),
    shown.verb,
    plain(shown.object),
    folder === '' ? '' : t('in {0}', plain(folder)),
    note,
    counts === undefined ? '' : t('{0} lines added, {1} removed', counts.added, counts.removed),
    durationMs === undefined ? '' : duration(durationMs),
    stateForScreenReader(state, tool),
  ];
  return {
    icon: shown.icon,
    verb: shown.verb,
    object: shown.object,
    isMonospace,
    folder,
    note,
    counts,
    state,
    word,
    durationMs,
    startedAt: tool.startedAt,
    subject,
    label: sentence.filter((part) => part !== '').join(', '),
    title: plain([shown.object, folder].filter((part) => part !== '').join(' · ')),
  };
}

function describeAction(
  tool: ToolUse,
  running: boolean,
  projectDir: string | undefined,
  cut: boolean,
): StepDescription {
  const { action } = tool;
  const file = (path: string) => {
    const { name, folder } = splitPath(path, projectDir);
    return { object: name, folder, subject: path };
  };
  switch (action.kind) {
    case 'file_read':
      return {
        icon: 'file',
        verb: running ? t('Reading') : t('Read'),
        ...file(action.path),
        note: linesReadText(action),
      };
    case 'file_write':
      return {
        icon: 'new-file',
        verb: running ? t('Writing') : t('Wrote'),
        ...file(action.path),
        note: action.content === undefined || cut ? '' : linesNote(action.content),
      };
    case 'file_edit':
      return describeEdit(action, running, projectDir, cut);
    case 'command_run':
      return {
        icon: 'terminal',
        verb: running ? t('Running') : t('Ran'),
        object: oneLine(action.command),
        isMonospace: true,
        subject: action.command,
        note: action.background === true ? t('in the background') : '',
      };
    case 'search':
      return {
        icon: 'search',
        verb: running ? t('Searching') : t('Searched'),
        object: oneLine(action.query),
        isMonospace: true,
        folder: action.path === undefined ? '' : splitPath(`${action.path}/.`, projectDir).folder,
        note: action.matches === undefined ? '' : plural(action.matches, t('{0} result', 1), t('{0} results')),
      };
    case 'web_fetch':
      return {
        icon: 'globe',
        verb: running ? t('Fetching') : t('Fetched'),
        object: action.url.replace(/^https?:\/\//, ''),
        subject: action.url,
        note: action.status === undefined ? '' : String(action.status),
      };
    case 'web_search':
      return {
        icon: 'search',
        verb: running ? t('Searching web') : t('Searched web'),
        object: oneLine(action.query),
        note: action.results === undefined ? '' : plural(action.results.length, t('{0} result', 1), t('{0} results')),
      };
    case 'todo':
      return describeTodo(action, tool.toolName);
    case 'task':
      return {
        icon: 'agent',
        verb: action.agentType ?? (running ? t('Delegating') : t('Delegated')),
        object: oneLine(action.description),
      };
    case 'mcp':
      return { icon: 'mcp', verb: action.server, object: action.tool, note: inputWords(action.input) };
    case 'tool':
      return {
        icon: 'tools',
        verb: running ? t('Using') : t('Used'),
        object: tool.toolName,
        note: inputWords(action.input),
      };
  }
}

/** Description of a call that waits for the user: what it would do, or what it asks. */
function describeWaiting(
  described: StepDescription,
  tool: ToolUse,
  waits: WaitingRequest | undefined,
): StepDescription {
  if (waits?.kind === 'question') return { icon: 'question', verb: t('Asks'), object: oneLine(waits.title) };
  if (waits?.kind === 'plan') return { icon: 'checklist', verb: t('Presents a plan'), object: oneLine(waits.title) };
  return { ...described, verb: proposedVerb(tool) };
}

/** The verb of a call that is not allowed yet: it does not run. */
function proposedVerb({ action }: ToolUse): string {
  switch (action.kind) {
    case 'file_read':
      return t('Wants to read');
    case 'file_write':
      return t('Wants to write');
    case 'file_edit':
      return t('Wants to edit');
    case 'command_run':
      return t('Wants to run');
    case 'search':
    case 'web_search':
      return t('Wants to search');
    case 'web_fetch':
      return t('Wants to fetch');
    case 'task':
      return t('Wants to delegate');
    case 'mcp':
      return t('Wants to use {0}:', action.server);
    case 'todo':
    case 'tool':
      return t('Wants to use');
  }
}

function describeEdit(
  action: Extract<ToolAction, { kind: 'file_edit' }>,
  running: boolean,
  projectDir: string | undefined,
  cut: boolean,
): StepDescription {
  const paths = [...new Set(shownChanges(action.changes).map(({ path }) => path))];
  const first = splitPath(paths[0] ?? '', projectDir);
  const counts = changeCounts(action.changes, cut);
  return {
    icon: 'edit',
    verb: running ? t('Editing') : t('Edited'),
    object: first.name,
    folder: first.folder,
    subject: paths[0] ?? '',
    note: paths.length > 1 ? t('and {0} more', paths.length - 1) : '',
    ...(!running && counts !== undefined && { counts }),
  };
}

function describeTodo(action: Extract<ToolAction, { kind: 'todo' }>, toolName: string): StepDescription {
  const done = action.todos.filter(({ status }) => status === 'completed').length;
  const current = action.todos.find(({ status }) => status === 'in_progress') ?? action.todos[0];
  return {
    icon: 'checklist',
    verb: t('To-do'),
    object: current === undefined ? toolName : oneLine(current.text),
    note: action.todos.length < 2 ? '' : t('{0} of {1} done', done, action.todos.length),
  };
}

function linesReadText({ startLine, endLine, totalLines }: Extract<ToolAction, { kind: 'file_read' }>): string {
  const whole = (startLine ?? 1) <= 1 && (endLine === undefined || (totalLines !== undefined && endLine >= totalLines));
  if (!whole && startLine !== undefined && endLine !== undefined) return t('lines {0}–{1}', startLine, endLine);
  if (!whole && endLine !== undefined) return t('lines {0}–{1}', 1, endLine);
  return totalLines === undefined ? '' : plural(totalLines, t('{0} line', 1), t('{0} lines'));
}

function linesNote(text: string): string {
  const lines = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return plural(lines, t('{0} line', 1), t('{0} lines'));
}

function oneLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const first = lines[0]?.trim() ?? '';
  return lines.length > 1 ? `${first} …` : first;
}

/** First simple value of an input, to distinguish calls of one tool. */
function inputWords(input: unknown): string {
  if (typeof input === 'string') return firstWords(plain(input), 80);
  if (typeof input !== 'object' || input === null) return '';
  const value = Object.values(input).find(
    (candidate) => typeof candidate === 'string' || typeof candidate === 'number',
  );
  return typeof value === 'string'
    ? firstWords(plain(value), 80)
    : typeof value === 'number'
      ? formatNumber(value)
      : '';
}
