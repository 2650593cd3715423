import type { MessageFigure, MissingFigure } from '../../model/usage/messageFigure.ts';
import type { Cost, CostSum, ModelUsage } from '../../model/usage/usage.ts';

/** Messages that a page asks about at once. */
export const mostMessages = 200;

/** Usage of a session, beyond its summary. Durations in milliseconds; `null` is unknown. */
export interface LedgerCard {
  /** Of the newest run, by model. */
  readonly models: readonly ModelUsage[] | null;
  /** Of the session so far, by model. */
  readonly totalModels: readonly ModelUsage[] | null;
  readonly runTurns: number | null;
  /** Over all runs. */
  readonly duration: number | null;
  readonly apiDuration: number | null;
  /** What this session started, and what that started; `null` where there is nothing. */
  readonly children: { readonly count: number; readonly cost: CostSum } | null;
  /** Hash of the last line of the record, which holds all lines before it; `null` where there is no line. */
  readonly head: string | null;
}

/** What a person wants to know before resuming a session that has ended. */
export interface ResumeFacts {
  /** ISO 8601. */
  readonly lastActivity: string;
  /** Of reading the conversation in again, before the first answer. */
  readonly cold: Cost;
  readonly compactions: number;
  /** Commands that were left running in the background, and ended with the agent. */
  readonly background: readonly string[];
  /** Calls that were cut off. */
  readonly cutOff: number;
  /** Answers that held for the run that has ended. */
  readonly allowed: number;
  /** The agent knows the conversation by an id; without one, its next run begins anew. */
  readonly known: boolean;
  /** Whether a resume finds the conversation in this window, with sentences that say why. */
  readonly here: { readonly verdict: 'yes' | 'uncertain' | 'no'; readonly reasons: readonly string[] };
  /** Another process that has the session open for writing. */
  readonly elsewhere: { readonly pid: number; readonly hostname: string; readonly at: string } | 'unknown' | null;
}

export type FigureRequest =
  | { readonly type: 'getLedger'; readonly request: number }
  | { readonly type: 'getResume'; readonly request: number }
  /** Of the messages that are in sight, by the index of their entry. */
  | { readonly type: 'getMessageFigures'; readonly request: number; readonly indexes: readonly number[] };

export type FigureAnswer =
  | { readonly type: 'ledger'; readonly request: number; readonly ledger: LedgerCard }
  | { readonly type: 'resume'; readonly request: number; readonly resume: ResumeFacts }
  | {
      readonly type: 'messageFigures';
      readonly request: number;
      readonly figures: readonly { readonly index: number; readonly figure: MessageFigure | MissingFigure }[];
    };
