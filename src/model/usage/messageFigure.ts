import type { Cost, TokenUsage } from './usage.ts';

/** Usage of the model response whose text an entry shows. */
export interface MessageFigure {
  readonly model: string | null;
  readonly usage: TokenUsage;
  readonly cost: Cost;
  /** False while only a placeholder of its tokens is known: then they and the cost are too low. */
  readonly settled: boolean;
}

/**
 * Why an entry has no figure: an earlier entry of the same response has it; the agent reports it for others but not for this
 * one; not yet, in an active run; the agent never reports it for single responses.
 */
export type MissingFigure = 'counted_before' | 'not_this' | 'not_yet' | 'not_per_message';
