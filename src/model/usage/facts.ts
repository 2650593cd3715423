import type { ModelUsage, TokenUsage } from './usage.ts';

/** Figures of one closing line ("result") as the agent printed them, before anybody decides what they cover. */
export interface RunReport {
  readonly isError: boolean;
  readonly subtype: string | null;
  readonly text: string | null;
  readonly errors: readonly string[];
  /** Why the run ended in the agent's own word (`completed`, `aborted_tools`, …), where it says so. */
  readonly terminalReason: string | null;
  /** US dollars as printed: of the run or of the session, which the ledger decides. */
  readonly usd: number | null;
  /** US dollars of the run alone, where they are printed beside a total, which is the session's then. */
  readonly runUsd?: number;
  readonly turns: number | null;
  readonly durationMs: number | null;
  readonly apiDurationMs: number | null;
  /** Tokens as printed beside the cost; subagents may be left out. */
  readonly usage: TokenUsage | null;
  /** By model as printed, subagents included; same cover as `usd`. */
  readonly models: readonly ModelUsage[];
  /** By model for this run alone, where the agent prints that too. */
  readonly runModels: readonly ModelUsage[] | null;
  /**
   * What the tokens cover as far as the line itself tells; `sure` where no version prints anything else. Absent where it
   * takes the cost, or the counters of earlier runs, to tell. `since`: the first version that it holds for; before, the
   * tokens are the run's, in lines that look the same.
   */
  readonly cover?: { readonly of: 'run' | 'session'; readonly sure: boolean; readonly since?: string };
  /** Where the agent's protocol says what `usd` covers; `cover` and the tokens are then the run's. */
  readonly usdCover?: 'session';
  /** Subagents that the run has started, where the line says how many; their turns can end before this line's. */
  readonly subagents: number | null;
  /** Messages whose usage was itemised before this line. */
  readonly itemised?: number;
}

/** Usage of one model message, deduplicated by `messageId`; `settled` is false while only a placeholder is known. */
export interface MessageUsage {
  readonly messageId: string;
  readonly model: string | null;
  readonly usage: TokenUsage;
  readonly parentCallId: string | null;
  readonly settled: boolean;
  /** Terms other than the standard ones (`fast`, `batch`, `priority`, `geo:us`), by the names that price tables use. */
  readonly terms?: readonly string[] | undefined;
  /** Indexes of the entries that hold its texts and calls, in order, where they are known. */
  readonly entries?: readonly number[] | undefined;
}

export interface LineCounts {
  readonly total: number;
  readonly unknown: number;
  readonly malformed: number;
  readonly oversize: number;
}

/** What a normalizer learned about its run besides entries. */
export interface RunFacts {
  /** Ids the agent gave the conversation in this run, oldest first. */
  readonly sessionIds: readonly string[];
  readonly model: string | null;
  readonly agentVersion: string | null;
  readonly permissionMode: string | null;
  /** Every text block of the main conversation, in order, joined by blank lines. */
  readonly answer: string;
  /**
   * Text of the last message of the main conversation, its text blocks joined without anything between them; '' where
   * that message has none. Messages the program wrote itself (API errors) do not count.
   */
  readonly finalText: string;
  /** Lines of the main conversation that speak for the user after the prompt: tool results, notes, continuations. */
  readonly userLines: number;
  /**
   * Seen in this run that makes the program ask models beside the main conversation: calls of subagents, web searches and
   * fetches, compactions. Decides whether more in a total than the main conversation used can be this run's own.
   */
  readonly sideCalls: number;
  readonly reports: readonly RunReport[];
  readonly messages: readonly MessageUsage[];
  readonly lines: LineCounts;
  /** Text of stderr, cut to its first and last 64 KiB. */
  readonly stderr: string;
  readonly warnings: readonly string[];
  /** How the process counts as ended, where that is not as it ended: a server is stopped when it has nothing more to do. */
  readonly ended?: ExitInfo;
  /** Messages came after the last closing line; absent or false before the first one. */
  readonly unfinished?: boolean;
  /** True where the agent said that it does not know the conversation it was to resume. */
  readonly unknownSession: boolean;
  /** US dollars of the whole session so far, where the agent reports them and no closing line has them. */
  readonly sessionUsd?: number;
  /** Of the costs that the agent printed, where it is not the US dollar. */
  readonly otherCurrency?: string;
  /** Tokens of the conversation so far, where the agent counts them itself. */
  readonly contextTokens?: number;
}

/** How the process ended; both `null` when that is not known. */
export interface ExitInfo {
  readonly code: number | null;
  readonly signal: string | null;
}
