import type { ModelUsage, TokenUsage } from './usage.ts';

/** Figures of one closing line ("result") as printed, before the ledger decides what they cover. */
export interface RunReport {
  readonly isError: boolean;
  readonly subtype: string | null;
  readonly text: string | null;
  readonly errors: readonly string[];
  /** Why the run ended, in the agent's own word (`completed`, `aborted_tools`, …), if it says so. */
  readonly terminalReason: string | null;
  /** US dollars as printed: of the run or of the session; the ledger decides. */
  readonly usd: number | null;
  /** US dollars of the run alone, if printed beside a total of the session. */
  readonly runUsd?: number;
  readonly turns: number | null;
  readonly durationMs: number | null;
  readonly apiDurationMs: number | null;
  /** Tokens as printed beside the cost; may exclude subagents. */
  readonly usage: TokenUsage | null;
  /** By model as printed, including subagents; covers the same as `usd`. */
  readonly models: readonly ModelUsage[];
  /** By model for this run alone, if the agent prints that too. */
  readonly runModels: readonly ModelUsage[] | null;
  /**
   * What the tokens cover, as far as the line says; `sure` if no version prints anything else. Absent if it depends on
   * the cost or on counters of earlier runs. `since`: the first version for which it holds; in earlier versions, the
   * same lines have the run's tokens.
   */
  readonly cover?: { readonly of: 'run' | 'session'; readonly sure: boolean; readonly since?: string };
  /** Set if the agent's protocol defines what `usd` covers; `cover` and the tokens are then the run's. */
  readonly usdCover?: 'session';
  /** `last_call`: the tokens cover only the last model call. Absent: all calls. */
  readonly tokensOf?: 'last_call';
  /** Subagents that the run started, if the line counts them; their turns can end before this line's. */
  readonly subagents: number | null;
  /** Messages whose usage was itemized before this line. */
  readonly itemized?: number;
}

/** Usage of one model message, deduplicated by `messageId`; `settled` is false while only a placeholder is known. */
export interface MessageUsage {
  readonly messageId: string;
  readonly model: string | null;
  readonly usage: TokenUsage;
  readonly parentCallId: string | null;
  readonly settled: boolean;
  /** Non-standard terms (`fast`, `batch`, `priority`, `geo:us`), by their names in price tables. */
  readonly terms?: readonly string[] | undefined;
  /** Indexes of the entries with its texts and calls, in order, if known. */
  readonly entries?: readonly number[] | undefined;
}

export interface OutputLineCounts {
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
   * Text of the last message of the main conversation, its blocks joined without separator; '' if it has none. Messages
   * of the program itself (API errors) do not count.
   */
  readonly finalText: string;
  /** Lines of the main conversation on the user's side after the prompt: tool results, notes, continuations. */
  readonly userLines: number;
  /**
   * Whether the run did something that makes the program ask models outside the main conversation: subagents, web
   * searches and fetches, compactions. Decides whether the excess of a total over the main conversation can belong to
   * this run.
   */
  readonly sideCalls: number;
  readonly reports: readonly RunReport[];
  readonly messages: readonly MessageUsage[];
  readonly lines: OutputLineCounts;
  /** Text of stderr, cut to its first and last 64 KiB. */
  readonly stderr: string;
  readonly warnings: readonly string[];
  /** How the process counts as ended, if that differs: a server is stopped when it has nothing more to do. */
  readonly ended?: ExitInfo;
  /** Messages came after the last closing line; absent or false before the first one. */
  readonly unfinished?: boolean;
  /** True if the agent said that it does not know the conversation to resume. */
  readonly unknownSession: boolean;
  /** US dollars of the session so far, if the agent reports them and no closing line has them. */
  readonly sessionUsd?: number;
  /** Currency of the printed costs, if it is not the US dollar. */
  readonly otherCurrency?: string;
  /** Tokens of the conversation so far, if the agent counts them. */
  readonly contextTokens?: number;
}

/** How the process ended; both `null` if unknown. */
export interface ExitInfo {
  readonly code: number | null;
  readonly signal: string | null;
}
