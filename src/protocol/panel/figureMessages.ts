import type { MessageFigure, MissingFigure } from '../../model/usage/messageFigure.ts';
import type { PlanLimit } from '../../model/usage/planLimit.ts';
import type { Cost, CostSum, ModelUsage } from '../../model/usage/usage.ts';

/** Messages per request of a page. */
export const maxMessages = 200;

/** Usage of a session beyond its summary. Durations in milliseconds; `null` is unknown. */
export interface LedgerCard {
  /** The newest run, by model. */
  readonly models: readonly ModelUsage[] | null;
  /** The session so far, by model. */
  readonly totalModels: readonly ModelUsage[] | null;
  readonly runTurns: number | null;
  /** Over all runs. */
  readonly duration: number | null;
  readonly apiDuration: number | null;
  /** The agent reports the tokens of the last model call of a turn alone; costs are of all calls. */
  readonly tokensOf?: 'last_call' | undefined;
  /** All descendants of this session; `null` if there are none. */
  readonly children: { readonly count: number; readonly cost: CostSum } | null;
  /** Those that the agent reported and that have not been reset since; absent: not read. */
  readonly planLimits?: readonly PlanLimit[];
  /** Hash of the last line of the record, which covers all earlier lines; `null` if the record is empty. */
  readonly head: string | null;
}

/** Facts for a person who decides whether to resume an ended session. */
export interface ResumeFacts {
  /** ISO 8601. */
  readonly lastActivity: string;
  /** Cost of reading the conversation again, before the first answer. */
  readonly cold: Cost;
  readonly compactions: number;
  /** Background commands, which ended with the agent. */
  readonly background: readonly string[];
  /** Interrupted calls. */
  readonly cutOff: number;
  /** Answers that applied only to the ended run. */
  readonly allowed: number;
  /** The agent has an id for the conversation; without one, its next run starts a new one. */
  readonly known: boolean;
  /** Whether a resume finds the conversation in this window, in a word, and why. */
  readonly here: {
    readonly verdict: 'yes' | 'uncertain' | 'no';
    readonly word: string;
    readonly reasons: readonly string[];
  };
}

export type FigureRequest =
  | { readonly type: 'getLedger'; readonly request: number }
  | { readonly type: 'getResume'; readonly request: number }
  /** Visible messages, by entry index. */
  | { readonly type: 'getMessageFigures'; readonly request: number; readonly indexes: readonly number[] };

export type FigureAnswer =
  | { readonly type: 'ledger'; readonly request: number; readonly ledger: LedgerCard }
  | { readonly type: 'resume'; readonly request: number; readonly resume: ResumeFacts }
  | {
      readonly type: 'messageFigures';
      readonly request: number;
      readonly figures: readonly { readonly index: number; readonly figure: MessageFigure | MissingFigure }[];
    };
