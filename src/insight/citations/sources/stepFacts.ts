import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { FileChange, ToolAction, ToolStatus, ToolUse } from '../../../model/transcript/tool.ts';
import { isObject } from '../../../model/text/json.ts';
import { commandForms } from '../commands/commandForms.ts';
import { fileChangedBy, fileChangedByCommand, type FileTouched } from '../outcomes/fileChanges.ts';
import { isUnfinished, runOutcomes, type RunOutcome, type RunStep } from '../outcomes/runOutcome.ts';
import { pathsIn, pathsInCommand } from './namedPaths.ts';
import { normalPath } from './pathNames.ts';
import { parseCommandRead, type CommandRead } from './commandReads.ts';
import { mayWrite, plainCommand, type ProgramKind } from '../commands/programs.ts';
import { linesShownBy } from './shownLines.ts';
import { linesOfResult, textBeforeOmission } from './resultLines.ts';
import { shellParts, type ShellPart } from '../commands/shell.ts';
import type { LineRange, EvidenceReason } from '../types.ts';
import { unwrapCommand } from '../commands/unwrapCommand.ts';
import { urlsIn } from './urls.ts';

/** The facts by which a step is found, never its texts. */
export interface StepFacts {
  readonly entryIndex: number;
  readonly callId: string;
  readonly step: string;
  readonly at: string;
  readonly status: ToolStatus;
  /** On one line, without a wrapping shell, at most 4096 characters. */
  readonly command?: string;
  readonly exitCode?: number;
  /** Outcomes of tests, a build or checks in it. */
  readonly outcomes: ReadonlyMap<ProgramKind, RunOutcome>;
  /** The command was interrupted, or continued in the background. */
  readonly unfinished?: true;
}

/** How a step involved a file. */
export interface Touch {
  readonly path: string;
  readonly why: Extract<
    EvidenceReason,
    'read' | 'edited' | 'written' | 'deleted' | 'named_in_command' | 'named_in_output'
  >;
  /** The lines it had; `null` if not recorded. */
  readonly ranges: readonly LineRange[] | null;
  /** Number of lines of the file, if the step had all of them. */
  readonly length?: number;
  /** The step could not find or open it. */
  readonly missing?: true;
  /** The step is a command that changes files. */
  readonly mayChange?: true;
  /** Number of added lines; absent if none or unknown. */
  readonly added?: number;
}

export interface UrlTouch {
  readonly url: string;
  readonly why: Extract<EvidenceReason, 'fetched' | 'search_result' | 'named_in_command' | 'named_in_output'>;
  readonly title?: string;
  /** The request had no answer, or found nothing. */
  readonly failed?: true;
}

export interface StepRecord {
  readonly facts: StepFacts;
  readonly touches: readonly Touch[];
  readonly urls: readonly UrlTouch[];
  readonly commands: readonly string[];
  readonly changed?: FileTouched;
}

/** Facts of a settled tool call. */
export function factOfStep(entry: NormalizedEntry, tool: ToolUse, step: string, workDir: string): StepRecord {
  const { action, status } = tool;
  const exitCode = action.kind === 'command_run' ? (action.exitCode ?? undefined) : undefined;
  const command = action.kind === 'command_run' ? plainCommand(action.command) : undefined;
  const line = action.kind === 'command_run' ? unwrapCommand(action.command) : '';
  const parts = shellParts(line);
  const output = outputOf(tool);
  const run: RunStep = { tool, parts, exitCode, output, workDir };
  const changed =
    fileChangedBy(tool, workDir) ??
    parts.map((part) => fileChangedByCommand(part, workDir)).find((file) => file !== undefined);
  return {
    facts: {
      entryIndex: entry.index,
      callId: tool.callId,
      step,
      at: tool.startedAt ?? entry.timestamp,
      status,
      outcomes: runOutcomes(run),
      ...(command !== undefined && { command }),
      ...(exitCode !== undefined && { exitCode }),
      ...(command !== undefined && isUnfinished(run) && { unfinished: true as const }),
    },
    touches: touchesOf(tool, output, line, mayChange(parts, changed)).map((touch) => ({
      ...touch,
      path: normalPath(touch.path, workDir),
    })),
    urls: urlsOf(tool, output, command),
    commands: command === undefined ? [] : commandForms(command, parts),
    ...(changed !== undefined && (status === 'success' || status === 'failed') && { changed }),
  };
}

function outputOf({ action, result }: ToolUse): string {
  if (action.kind === 'command_run') {
    const own = [action.stdout, action.stderr].filter((text) => text !== undefined && text !== '').join('\n');
    if (own !== '') return own;
  }
  return result?.text ?? '';
}

/** `line`: the shell line, if it is one. */
function touchesOf({ action, status, result }: ToolUse, output: string, line: string, changes: boolean): Touch[] {
  switch (action.kind) {
    case 'file_read':
      return [status === 'success' ? readTouch(action, result?.text) : { path: action.path, why: 'read', ranges: [] }];
    case 'file_write': {
      const length = lineCount(action.content ?? '');
      return [{ path: action.path, why: 'written', ranges: [[1, length]], length }];
    }
    case 'file_edit':
      return action.changes.map((change) => ({
        path: change.path,
        why: change.kind === 'delete' ? 'deleted' : 'edited',
        ranges: changedRanges(change),
        added: addedLines(change),
      }));
    case 'command_run': {
      const shown = status === 'success' ? parseCommandRead(line, output) : undefined;
      const lines = status === 'failed' ? [] : linesShownBy(line, output);
      const named = pathsInCommand(line).filter(
        (path) => shown?.path !== path && shown?.path.endsWith(`/${path}`) !== true,
      );
      const missing = new Set(missingIn(output));
      const marks = (path: string): Pick<Touch, 'missing' | 'mayChange'> => ({
        ...(missing.has(path) && { missing: true as const }),
        ...(changes && { mayChange: true as const }),
      });
      return [
        ...(shown === undefined ? [] : [read(shown)]),
        ...lines.map(({ path, ranges, isFile }): Touch => ({ path, why: isFile ? 'read' : 'named_in_output', ranges })),
        ...named.map((path): Touch => ({ path, why: 'named_in_command', ranges: null, ...marks(path) })),
        ...findNamedFiles(output).map((touch) => ({ ...touch, ...marks(touch.path) })),
      ];
    }
    case 'search':
    case 'task':
    case 'mcp':
    case 'tool':
      return [
        ...(action.kind === 'mcp' || action.kind === 'tool' ? inputPaths(action.input) : []),
        ...findNamedFiles(output),
      ];
    default:
      return [];
  }
}

/** Commands that change files, and those whose effect is unknown. */
function mayChange(parts: readonly ShellPart[], changed: FileTouched | undefined): boolean {
  return changed !== undefined || parts.some(({ command }) => mayWrite(command));
}

const missingWords =
  /no such file|not found|does not exist|cannot (?:open|access|find|stat|read)|ENOENT|couldn't (?:open|find)|kann nicht|nicht gefunden/i;

/** Files that lines of an output report as missing. */
function missingIn(output: string): string[] {
  if (!missingWords.test(output.slice(0, 32 * 1024))) return [];
  const lines = output.slice(0, 32 * 1024).split('\n', 500);
  return lines.flatMap((line) => (missingWords.test(line) ? pathsIn(line.slice(0, 500)).map(({ path }) => path) : []));
}

function findNamedFiles(output: string): Touch[] {
  return pathsIn(output).map(({ path, lines }) => ({
    path,
    why: 'named_in_output',
    ranges: lines.map((line): LineRange => [line, line]),
  }));
}

function read({ path, lines }: CommandRead): Touch {
  return { path, why: 'read', ranges: lines === null ? null : [lines] };
}

function inputPaths(input: unknown): Touch[] {
  if (!isObject(input)) return [];
  const texts = Object.values(input).filter((value) => typeof value === 'string');
  return texts
    .flatMap((text) => pathsInCommand(text.slice(0, 1000)))
    .map((path) => ({ path, why: 'named_in_command', ranges: null }));
}

function readTouch(action: Extract<ToolAction, { kind: 'file_read' }>, text: string | undefined): Touch {
  const { path, startLine = 1, endLine, totalLines } = action;
  const ranges = readRange(action, text);
  const last = ranges?.[0]?.[1] ?? 0;
  // Agents limit reads to round numbers of lines.
  const isWhole = totalLines === undefined ? last % 50 !== 0 : last >= totalLines;
  const hasAll = startLine <= 1 && endLine === undefined && isWhole;
  return { path, why: 'read', ranges, ...(hasAll && { length: last }) };
}

/** The actual lines, which may be fewer than requested. */
function readRange(
  { startLine = 1, endLine, totalLines }: Extract<ToolAction, { kind: 'file_read' }>,
  text: string | undefined,
): LineRange[] | null {
  const asked = endLine ?? totalLines;
  const { text: shown, cut } = textBeforeOmission(text ?? '');
  const { first, lines } = linesOfResult(shown, startLine);
  // A single line instead of many is a remark of the agent.
  if ((cut || lines.length < 2) && asked !== undefined) return [[startLine, asked]];
  if (cut || lines.length === 0) return null;
  return [[first, Math.min(endLine ?? Infinity, first + lines.length - 1)]];
}

/** The lines of a change and their context from its patch; `null` without a patch. */
function changedRanges({ kind, patch, newText, oldText }: FileChange): LineRange[] | null {
  if (kind === 'delete') return [];
  const hunks = [...(patch ?? '').matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)];
  if (hunks.length > 0) {
    return hunks.map(([, start = '1', length = '1']) => [
      Number(start),
      Number(start) + Math.max(1, Number(length)) - 1,
    ]);
  }
  if (newText !== undefined && (kind === 'add' || oldText === undefined)) return [[1, lineCount(newText)]];
  return null;
}

function addedLines({ added, patch, oldText = '', newText = '' }: FileChange): number {
  const inPatch = patch === undefined ? 0 : (patch.match(/^\+/gm)?.length ?? 0);
  return added ?? Math.max(inPatch, lineCount(newText) - lineCount(oldText), 0);
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const refused =
  /^\s*(?:[45]\d\d\s*$|HTTP\/[\d.]+ [45]\d\d|[45]\d\d [A-Z][a-z]+|(?:Error|Request failed|Failed to fetch|Could not)[^\n]{0,80}|.{0,60}\bstatus code [45]\d\d)/;

/** A search without results, or a refused request. */
function hasNoMatches(command: string, output: string): boolean {
  if (/(?:^|[;&|] ?)(?:grep|egrep|rg|ag|ack|git grep|find|fd|git log|echo|printf)\b/.test(command))
    return urlsIn(output).length === 0;
  return refused.test(output.slice(0, 300));
}

function urlsOf({ action, input, status }: ToolUse, output: string, command: string | undefined): UrlTouch[] {
  const named = urlsIn(output).map((url): UrlTouch => ({ url, why: 'named_in_output' }));
  switch (action.kind) {
    case 'web_fetch': {
      const failed = status !== 'success' || (action.status ?? 0) >= 400 || refused.test(output.slice(0, 300));
      return [
        { url: action.url, why: 'fetched', ...(failed && { failed: true as const }) },
        ...(status === 'success' ? named : []),
      ];
    }
    case 'web_search':
      return [
        ...(action.results ?? []).map(({ url, title }): UrlTouch => ({
          url,
          why: 'search_result',
          ...(title !== undefined && { title }),
        })),
        ...named,
      ];
    case 'command_run':
      return [
        ...urlsIn(command ?? '').map((url): UrlTouch => ({
          url,
          why: 'named_in_command',
          ...((status !== 'success' || hasNoMatches(command ?? '', output)) && { failed: true as const }),
        })),
        ...named,
      ];
    case 'mcp':
    case 'tool': {
      const inputValues = isObject(input ?? action.input) ? Object.values(input ?? action.input ?? {}) : [];
      const texts = inputValues.filter((value): value is string => typeof value === 'string');
      return [...texts.flatMap(urlsIn).map((url): UrlTouch => ({ url, why: 'fetched' })), ...named];
    }
    case 'search':
    case 'task':
      return named;
    default:
      return [];
  }
}
