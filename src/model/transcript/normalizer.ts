import type { EntryUpdate } from './entry.ts';
import type { ExitInfo, RunFacts } from '../usage/facts.ts';

/**
 * What an agent writes besides its output, if its adapter asks for it. `log` is a line of its log file. `usage` is a whole
 * file with the tokens of the run, which comes last. Normalizers ignore what their adapter does not ask for. `client` is our
 * own `ClientLine`, in every run with a dialogue.
 */
export type SideStream = 'log' | 'usage' | 'store' | 'client';

/** One line of output without its line end, or a stub for a line over the size limit. */
export type OutputLine =
  | { readonly stream: 'stdout' | 'stderr' | SideStream; readonly text: string }
  | { readonly stream: 'stdout' | 'stderr'; readonly oversize: { readonly bytes: number; readonly head: string } };

export interface NormalizerContext {
  readonly workDir: string;
  /** Index of the first entry of this run in the session. */
  readonly firstIndex: number;
  /** The prompt, if the transcript already has its entry: an agent that repeats it adds nothing. */
  readonly prompt?: string;
  /** The agent's id of the conversation to resume; absent for a new one. */
  readonly resume?: string;
  /** The agent's id of this conversation, if the command line sets it. */
  readonly sessionId?: string;
}

/**
 * Turns the output of one run into entry updates. A pure state machine that never throws: unknown input becomes an entry.
 * `at` is the arrival of the line in epoch milliseconds.
 */
export interface Normalizer {
  push(line: OutputLine, at: number): readonly EntryUpdate[];
  end(exit: ExitInfo, at: number): readonly EntryUpdate[];
  facts(): RunFacts;
}
