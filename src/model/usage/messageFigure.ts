import type { Cost, TokenUsage } from './usage.ts';

/** What the message of the model used that an entry is the text of. */
export interface MessageFigure {
  readonly model: string | null;
  readonly usage: TokenUsage;
  readonly cost: Cost;
  /** False while only a placeholder of its tokens is known: then they and the cost are too low. */
  readonly settled: boolean;
}

/**
 * Why an entry has no figure: it belongs to a message whose earlier text has it; the agent tells of others, and not of this
 * one; nothing yet, in an active run; the agent does not tell it of single messages.
 */
export type MissingFigure = 'counted_before' | 'not_this' | 'not_yet' | 'not_per_message';
