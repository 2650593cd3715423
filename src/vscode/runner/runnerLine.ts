import type { ExecutorType } from '../../model/session/session.ts';

export interface RunnerPlace {
  /** The program that this extension brings along. */
  readonly program: string;
  readonly executor: ExecutorType;
  /** Of this window's sessions and queue. */
  readonly store: string;
  readonly folder: string;
  readonly windows: boolean;
}

/** What starts a runner of a window's queue, to be typed into a terminal of that system. */
export function runnerLine({ program, executor, store, folder, windows }: RunnerPlace): string {
  const quoted = (text: string): string => quote(text, windows);
  const what = ['node', quoted(program), 'runner', '--executor', executor];
  return [...what, '--store', quoted(store), '--cwd', quoted(folder)].join(' ');
}

/** So that no shell finds anything in it: PowerShell doubles a quote, the shells of Unix leave the quotes for it. */
function quote(text: string, windows: boolean): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", windows ? "''" : `'\\''`)}'`;
}
