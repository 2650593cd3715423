import type { EntryUpdate } from './entry.ts';
import type { ExitInfo, RunFacts } from '../usage/facts.ts';

/**
 * What an agent writes beside its output, where its adapter asks for it: `log` is a line of its log file, `usage` the whole
 * of a file with the tokens of its run, which comes after everything else. Who does not ask for them ignores them. `client`
 * is a `ClientLine` of our own, in any run that has a dialogue.
 */
export type SideStream = 'log' | 'usage' | 'client';

/** One line of output without its line end, or the stub of a line over the size cap. */
export type OutputLine =
  | { readonly stream: 'stdout' | 'stderr' | SideStream; readonly text: string }
  | { readonly stream: 'stdout' | 'stderr'; readonly oversize: { readonly bytes: number; readonly head: string } };

export interface NormalizerContext {
  readonly workDir: string;
  /** Index of the first entry of this run in the session. */
  readonly firstIndex: number;
  /** The prompt, where an entry of it stands in the transcript already: an agent that repeats it adds nothing. */
  readonly prompt?: string;
  /** The agent's id of the conversation that this run is to resume; absent for a new one. */
  readonly resume?: string;
  /** The agent's id of this conversation, where the command line decides it. */
  readonly sessionId?: string;
}

/**
 * Turns the output of one run into entry updates. A pure state machine that never throws: what it does not know becomes
 * an entry that says so. `at` is the arrival of the line in epoch milliseconds.
 */
export interface Normalizer {
  push(line: OutputLine, at: number): readonly EntryUpdate[];
  end(exit: ExitInfo, at: number): readonly EntryUpdate[];
  facts(): RunFacts;
}
