import type { ToolUse } from '../../../model/transcript/tool.ts';
import { isObject } from '../../../model/text/json.ts';
import { programKind, printsForeignText, type ProgramKind } from '../commands/programs.ts';
import { assessExitCode, isIncidentalCommand, type ShellPart } from '../commands/shell.ts';
import { fileChangedByCommand } from './fileChanges.ts';
import { isCut, printedOutcome, type Counts, type PrintedOutcome } from './printedOutcome.ts';
import { foldersOf, allowsNoTests, isListingOnly, scopeOf, type RunScope } from './runScope.ts';

/** Why a run has no outcome that can be compared with a claim. */
export type MissingOutcome = 'no_outcome' | 'interrupted' | 'background' | 'not_run' | 'no_tests';

/** Outcome of the tests, build or checks of one step. */
export interface RunOutcome {
  readonly result: 'passed' | 'failed' | 'unknown';
  readonly reason?: MissingOutcome;
  readonly counts: Counts;
  readonly suites: Counts;
  readonly nested: Counts;
  readonly parts: readonly number[];
  readonly runners: readonly string[];
  /** Some output is missing, so numbers may be too small. */
  readonly isCut: boolean;
  readonly scope: RunScope;
  /** The same step changed files after the run. */
  readonly isOutdated: boolean;
  /** More than one command of the kind. */
  readonly isSeveral: boolean;
  /** The result of each tool among several checks. */
  readonly tools: ReadonlyMap<string, 'passed' | 'failed'>;
}

export interface RunStep {
  readonly tool: ToolUse;
  readonly parts: readonly ShellPart[];
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly workDir: string;
}

const nothingPrinted: PrintedOutcome = {
  result: 'none',
  counts: {},
  suites: {},
  nested: {},
  parts: [],
  runners: [],
};

const testPhrase = /\b(?:tests?|specs?|suites?|assertions?)\b|\d passed(?: in |[,;])/i;

/** Outcomes of a step by kind; empty if it ran nothing of a kind, or did not end. */
export function runOutcomes(step: RunStep): ReadonlyMap<ProgramKind, RunOutcome> {
  const outcomes = new Map<ProgramKind, RunOutcome>();
  const { parts, tool } = step;
  if (tool.action.kind !== 'command_run' || (tool.status !== 'success' && tool.status !== 'failed')) return outcomes;
  const kinds = parts.map(({ command }) => programKind(command));
  for (const kind of new Set(kinds)) if (kind !== undefined) outcomes.set(kind, outcomeOf(kind, kinds, step));
  // A project's own program that reports passed tests has run them.
  if (!outcomes.has('test') && runsOwnProgram(parts) && testPhrase.test(step.output.slice(-8192))) {
    const printed = printedOutcome('test', step.output);
    if (printed?.counts.passed !== undefined)
      outcomes.set(
        'test',
        outcomeOf(
          'test',
          parts.map(({ separator }) => (separator === '|' ? undefined : 'test')),
          step,
        ),
      );
  }
  return outcomes;
}

function runsOwnProgram(parts: readonly ShellPart[]): boolean {
  const loud = parts.filter(({ command, separator }) => separator !== '|' && !isIncidentalCommand(command));
  return loud.length > 0 && !loud.some(({ command }) => printsForeignText(command));
}

function outcomeOf(kind: ProgramKind, kinds: readonly (ProgramKind | undefined)[], step: RunStep): RunOutcome {
  const { parts, output, tool, workDir } = step;
  const meant = parts.flatMap((part, at) => (kinds[at] === kind ? [{ part, at }] : []));
  const live = meant.filter(({ part }) => !isListingOnly(part.command, kind));
  const folders = foldersOf(parts, tool.action.kind === 'command_run' ? tool.action.cwd : undefined, workDir);
  const scope = combineScopes(live.map(({ part, at }) => scopeOf(part.command, kind, folders[at] ?? '')));
  const printed = live.length === 0 ? undefined : printedOutcome(kind, output);
  const last = live.at(-1)?.at ?? parts.length;
  const { counts, suites, nested, parts: several, runners } = printed ?? nothingPrinted;
  const reported = live.length === 0 ? unknown('not_run') : outcomeFromOutput(kind, step, kinds, printed);
  return {
    ...reported,
    counts,
    suites,
    nested,
    parts: several,
    runners,
    isCut:
      findFilter(parts.slice(last + 1)) !== undefined ||
      isCut(output) ||
      parts.some(({ command }) => loop.test(command)),
    scope,
    isOutdated: parts.slice(last + 1).some((part) => fileChangedByCommand(part, workDir)?.isText === false),
    isSeveral: live.length > 1,
    tools: kind === 'check' ? toolsOf(output) : noTools,
  };
}

const noTools: ReadonlyMap<string, 'passed' | 'failed'> = new Map();
const loop = /^(?:for|while|until|watch|seq|xargs|parallel)\b/;

type Statement = Pick<RunOutcome, 'result' | 'reason'>;

function unknown(reason: MissingOutcome): Statement {
  return { result: 'unknown', reason };
}

function outcomeFromOutput(
  kind: ProgramKind,
  { tool, parts, exitCode, output }: RunStep,
  kinds: readonly (ProgramKind | undefined)[],
  printed: PrintedOutcome | undefined,
): Statement {
  if (isInterrupted(tool, exitCode, output)) return unknown('interrupted');
  const isMeant = (command: string): boolean => kinds[parts.findIndex((part) => part.command === command)] === kind;
  const isInBackground =
    isBackground(tool) || parts.some((part) => part.isBackground === true && isMeant(part.command));
  const exitCodeProves = assessExitCode(parts, isMeant);
  const code = exitCode ?? (tool.status === 'success' ? 0 : 1);
  if (printed === undefined && isInBackground) return unknown('background');
  if (printed === undefined && code !== 0 && hasFailedToStart(code, output)) return unknown('not_run');
  if (printed?.result === 'none') return unknown('no_tests');
  if (printed !== undefined && isIncomplete(printed, parts)) return unknown('no_outcome');
  const printedExit = findPrintedExitCode(parts, isMeant, output);
  const exit =
    printedExit ??
    (isInBackground
      ? undefined
      : code === 0 && exitCodeProves.success
        ? 0
        : code !== 0 && exitCodeProves.failure
          ? code
          : undefined);
  if (printed === undefined) {
    if (exit === 0 && parts.some(({ command }) => isMeant(command) && allowsNoTests(command)))
      return unknown('no_tests');
    return exit === undefined ? unknown('no_outcome') : { result: exit === 0 ? 'passed' : 'failed' };
  }
  if (exit === undefined || (exit === 0) === (printed.result === 'passed')) return { result: printed.result };
  // Failed tests count, whatever the exit code. A non-zero exit code for another reason says nothing about the tests.
  if (kind === 'test') return printed.result === 'failed' ? { result: 'failed' } : unknown('no_outcome');
  return exit === 0 ? unknown('no_outcome') : { result: 'failed' };
}

/** Whether a command was interrupted, or continued in the background. */
export function isUnfinished({ tool, parts, exitCode, output }: RunStep): boolean {
  return (
    isBackground(tool) ||
    parts.some(({ isBackground: isInBackground }) => isInBackground) ||
    isInterrupted(tool, exitCode, output)
  );
}

function isBackground({ action, input }: ToolUse): boolean {
  if (action.kind === 'command_run' && action.background === true) return true;
  return isObject(input) && (input['run_in_background'] === true || input['is_background'] === true);
}

const cutOff =
  /(?:^|\n)\s*(?:<error>)?(?:Error: )?(?:Command|Process|Execution|The command)[^\n]{0,40}\b(?:timed out|(?:was )?(?:aborted|interrupted|killed|cancelled))|\[Request interrupted|(?:^|\n)(?:Terminated|Killed|\^C)\s*$/i;

function isInterrupted({ result }: ToolUse, exitCode: number | undefined, output: string): boolean {
  // Exit codes of `timeout` and of signals.
  if (exitCode !== undefined && [124, 129, 130, 137, 143].includes(exitCode)) return true;
  return (
    cutOff.test(output.slice(-600)) ||
    cutOff.test((result?.text ?? '').slice(-600)) ||
    cutOff.test(output.slice(0, 300))
  );
}

function hasFailedToStart(code: number, output: string): boolean {
  return (
    code === 126 ||
    code === 127 ||
    /command not found|not recognized as an internal|Missing script|No module named ['"]?(?:pytest|unittest|nose|mypy|ruff|tox|flake8|black)\b|could not determine executable|unrecognized arguments?:|(?:unknown|invalid|unrecognized|unexpected) (?:option|argument|flag)|ERR_PNPM_NO_SCRIPT|Couldn't find a script|No such command|ENOENT.*package\.json/i.test(
      output.slice(0, 4000),
    )
  );
}

/** The filter after a run that shows only some lines. */
function findFilter(parts: readonly ShellPart[]): 'lines' | 'end' | undefined {
  for (const { command, separator } of parts) {
    if (separator !== '|') continue;
    const [, lines] = /^tail(?: (?:-n ?|-|--lines[= ])?(\d+))?$/.exec(command) ?? [];
    if (/^tail\b/.test(command)) return Number(lines ?? 10) < 3 ? 'lines' : 'end';
    if (/^(?:grep|egrep|rg|head|sed|awk|cut|wc|jq)\b/.test(command)) return 'lines';
  }
  return undefined;
}

/** Runners that print failures on separate lines. */
const runnersWithFailureLines = new Set(
  'mocha playwright ava bun tap uvu meson googletest dotnet dotnet-platform junit-console go turbo nx tox unittest phpunit gradle maven'.split(
    ' ',
  ),
);

/** Whether the lines with failures may be among the omitted ones. */
function isIncomplete({ result, counts, runners }: PrintedOutcome, parts: readonly ShellPart[]): boolean {
  if (result !== 'passed' || findFilter(parts) !== 'lines') return false;
  return counts.failed === undefined && runners.some((runner) => runnersWithFailureLines.has(runner));
}

/** `npm test > log; echo "exit: $?"` prints an exit code that the shell does not return. */
function findPrintedExitCode(
  parts: readonly ShellPart[],
  isMeant: (command: string) => boolean,
  output: string,
): number | undefined {
  const at = parts.findLastIndex(({ command }) => isMeant(command));
  const next = parts[at + 1];
  if (next === undefined || next.separator === '|' || parts.filter(({ command }) => isMeant(command)).length > 1)
    return undefined;
  const [before, behind] =
    /^echo (?:-e )?["']?([^"'$]*)\$(?:\?|\{\?\}|\{PIPESTATUS\[0\]\})([^"'$]*)["']?$/.exec(next.command)?.slice(1) ?? [];
  if (before === undefined) return undefined;
  const lines = output.trimEnd().split('\n').slice(-20);
  for (const line of lines.reverse()) {
    const code = new RegExp(`${escapePattern(before)}(\\d{1,3})${escapePattern(behind ?? '')}\\s*$`).exec(line)?.[1];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

function escapePattern(text: string): string {
  return (
    text
      .trim()
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      .replace(/ /g, '\\s*') + (text.endsWith(' ') ? '\\s*' : '')
  );
}

function toolsOf(output: string): ReadonlyMap<string, 'passed' | 'failed'> {
  const tools = new Map<string, 'passed' | 'failed'>();
  const all = printedOutcome('check', output);
  for (const runner of all?.runners ?? []) {
    const own = printedOutcome('check', output, (candidate) => candidate === runner);
    if (own !== undefined && own.result !== 'none') tools.set(runner, own.result);
  }
  return tools;
}

/** Scope of several commands of one kind: the union of their limits; everything if one had none. */
function combineScopes(scopes: readonly RunScope[]): RunScope {
  const isPart = scopes.length > 0 && scopes.every((scope) => scope.isPart);
  return {
    isPart,
    names: scopes.flatMap(({ names }) => names),
    isRecursive: scopes.some((scope) => scope.isRecursive),
  };
}
