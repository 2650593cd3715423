import type { ExitInfo } from '../../../model/usage/facts.ts';

export interface KnownError {
  readonly code: string;
  readonly text: string;
}

/** The first of the fixed texts in stderr, and what follows it. */
export function knownError(fixedTexts: readonly (readonly [RegExp, string])[], stderr: string): KnownError | undefined {
  for (const [pattern, code] of fixedTexts) {
    const at = pattern.exec(stderr)?.index;
    if (at === undefined) continue;
    const from = stderr.lastIndexOf('\n', at) + 1;
    return { code, text: stderr.slice(from).trim().split('\n').slice(0, maxStderrLines).join('\n') };
  }
  return undefined;
}

export interface EndFacts {
  readonly exit: ExitInfo;
  readonly stderr: string;
  /** The known error in stderr, if any. */
  readonly knownError: KnownError | undefined;
  /** Exit codes with a special meaning. */
  readonly exitCodes?: ReadonlyMap<number, string> | undefined;
  /** Lines on stdout. */
  readonly lines: number;
  readonly hasFailed: boolean;
  readonly interrupted: boolean;
  /** The agent printed messages, but no closing line. */
  readonly isUnfinished: boolean;
}

export type Ending =
  | { readonly kind: 'none' }
  | { readonly kind: 'interrupted'; readonly text: string }
  | { readonly kind: 'error'; readonly code: string; readonly text: string };

const polite = new Map<string | number, string>([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [143, 'SIGTERM'],
]);
const maxStderrLines = 20;

/** Entries and facts that the end of the process adds. */
export function endingOf({
  exit,
  stderr,
  knownError: known,
  exitCodes,
  lines,
  hasFailed,
  interrupted,
  isUnfinished,
}: EndFacts): Ending {
  const { code, signal } = exit;
  const ended = describeExit(exit);
  const last = stderr.trim().split('\n').slice(-maxStderrLines).join('\n');
  const bad = signal !== null || (code !== null && code !== 0);
  if (bad && !hasFailed && known !== undefined) return { kind: 'error', ...known };
  const stoppedBy = polite.get(signal ?? code ?? 0);
  if (lines === 0 && bad && !hasFailed) {
    if (last !== '' && stoppedBy === undefined) return { kind: 'error', code: exitCode(exit, exitCodes), text: last };
    const text = `The agent ended without printing anything (${ended}).${last === '' ? '' : `\n${last}`}`;
    return { kind: 'error', code: 'no_output', text };
  }
  if (stoppedBy !== undefined) {
    return interrupted ? { kind: 'none' } : { kind: 'interrupted', text: `The run was stopped (${stoppedBy}).` };
  }
  if (bad && !hasFailed && !interrupted && !(isUnfinished && last === '' && signal === null)) {
    return {
      kind: 'error',
      code: exitCode(exit, exitCodes),
      text: last === '' ? `The agent failed (${ended}).` : last,
    };
  }
  if (!isUnfinished || hasFailed || interrupted) return { kind: 'none' };
  return {
    kind: 'interrupted',
    text: `The agent ended without a final result${bad ? ` (${ended})` : ''}: it was stopped, or output is missing.`,
  };
}

function exitCode({ code, signal }: ExitInfo, meanings?: ReadonlyMap<number, string>): string {
  if (signal !== null) return `signal_${signal}`;
  return meanings?.get(code ?? 0) ?? `exit_${code ?? 'unknown'}`;
}

export function describeExit({ code, signal }: ExitInfo): string {
  if (signal !== null) return `signal ${signal}`;
  return code === null ? 'exit code unknown' : `exit code ${code}`;
}
