import type { ExecutorType } from '../../model/session/session.ts';

export interface RunnerPlace {
  /** Path of the CLI that ships with the extension. */
  readonly program: string;
  readonly executor: ExecutorType;
  /** Store of this window's sessions and queue. */
  readonly store: string;
  readonly folder: string;
  readonly isWindows: boolean;
}

/** Command line that starts a runner for this window's queue in a terminal. */
export function runnerLine({ program, executor, store, folder, isWindows: windows }: RunnerPlace): string {
  const quoted = (text: string): string => quote(text, windows);
  const what = ['node', quoted(program), 'runner', '--executor', executor];
  return [...what, '--store', quoted(store), '--cwd', quoted(folder)].join(' ');
}

/** Quotes a text so that no shell interprets it. PowerShell doubles quotes; Unix shells close and reopen them. */
function quote(text: string, windows: boolean): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", windows ? "''" : `'\\''`)}'`;
}
