import type { MessageUsage } from '../../model/usage/facts.ts';
import type { MessageFigure, MissingFigure } from '../../model/usage/messageFigure.ts';
import type { PriceTable } from '../prices/prices.ts';
import { messageCosts } from '../usage/spending.ts';

interface Run {
  readonly runId: string;
  readonly firstIndex: number;
  readonly status: string;
}

/** Figures of a session's responses, by the entries that show them. */
export class MessageFigures {
  readonly #figures = new Map<number, MessageFigure>();
  readonly #laterEntries = new Set<number>();
  readonly #reportingRuns = new Set<string>();

  /** `fallback` is the session's model, for messages without one. */
  constructor(
    messages: readonly (MessageUsage & { readonly runId: string })[],
    prices: PriceTable,
    fallback: string | null,
  ) {
    const costs = messageCosts(messages, prices, fallback);
    for (const [at, { runId, entries: [first, ...laterEntries] = [] }] of messages.entries()) {
      this.#reportingRuns.add(runId);
      const known = costs[at];
      if (first === undefined || known === undefined) continue;
      const { model, usage, cost, settled } = known;
      this.#figures.set(first, { model, usage, cost, settled });
      for (const index of laterEntries) this.#laterEntries.add(index);
    }
  }

  /** `runs`: oldest first. */
  figureOf(index: number, runs: readonly Run[]): MessageFigure | MissingFigure {
    const figure = this.#figures.get(index);
    if (figure !== undefined) return figure;
    if (this.#laterEntries.has(index)) return 'counted_before';
    const run = runs.findLast(({ firstIndex }) => firstIndex <= index);
    if (run?.status === 'running') return 'not_yet';
    const isReporting = run === undefined ? this.#reportingRuns.size > 0 : this.#reportingRuns.has(run.runId);
    return isReporting ? 'not_this' : 'not_per_message';
  }
}
