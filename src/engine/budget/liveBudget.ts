import { mostUsed } from '../../insight/budgets/budgetStatus.ts';
import { reachedText, unenforceableText } from '../../insight/budgets/text.ts';
import { pricedPart, findPrice } from '../../insight/prices/prices.ts';
import { usdOf } from '../../insight/ledger/money.ts';
import type { ReachedLimit, BudgetStatus } from '../../model/usage/budget.ts';
import type { ResultMetadata, RunResult } from '../../model/session/result.ts';
import { totalTokens } from '../../model/usage/usage.ts';
import { estimateOf, type FiguresContext } from '../run/runFigures.ts';
import type { RunFeed } from '../run/runFeed.ts';
import type { Note } from '../run/note.ts';
import type { RunPlan } from '../run/runPlan.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import type { BudgetListener, RunBudget, RunFigures } from './runBudget.ts';

export interface LiveBudgetDeps {
  readonly state: SessionState;
  readonly plan: RunPlan;
  readonly feed: RunFeed;
  readonly clock: () => number;
  /** Ends the run so that the session can be resumed. */
  readonly stop: () => void;
  /** The agent gets no further messages. */
  readonly isOver: () => boolean;
  /** Gives the agent time to exit on its own. */
  readonly allowSelfExit: () => void;
}

/** Reports the active run's limits to its session: near, reached, or not enforceable. */
export class LiveBudget implements BudgetListener {
  readonly #deps: LiveBudgetDeps;
  readonly #budget: RunBudget;
  #hasReportedUnpriced = false;

  constructor(deps: LiveBudgetDeps) {
    this.#deps = deps;
    this.#budget = deps.plan.budget;
  }

  /** A limit has stopped the run. */
  get hasReachedLimit(): boolean {
    return this.#budget.reachedLimit !== undefined;
  }

  /** Call before starting the agent. */
  async begin(): Promise<void> {
    const { state, plan } = this.#deps;
    if (state.summary.budget !== undefined) state.change({ budget: undefined });
    const model = plan.figures.askedModel ?? state.summary.model;
    // An alias such as `sonnet` or `auto`: the agent will report the actual model.
    if (model !== null && /\d/.test(model.replace(/\[.*/, ''))) await this.#checkModel(model);
    this.#budget.begin(this);
  }

  check(figures: FiguresContext): void {
    this.#budget.check(() => this.#figures(figures));
  }

  setWaiting(isWaiting: boolean): void {
    this.#budget.setWaiting(isWaiting);
  }

  maySend(figures: FiguresContext): boolean {
    return this.#budget.maySend(() => this.#figures(figures));
  }

  /**
   * Adds the reached limit to the result of a run; it is not an error. `hasUnsent`: the user's queued messages were
   * not sent.
   */
  settle(result: RunResult, hasUnsent: boolean): RunResult {
    this.#budget.end();
    const { metadata } = result;
    if (metadata === undefined) return result;
    const reached = this.#budget.settle(() => this.#finalFigures(metadata));
    if (reached !== undefined && (!result.success || hasUnsent))
      return pausedResult(result, metadata, this.#toReachedLimit('vitrine', reached));
    if (!metadata.isMaxTurns && !metadata.isMaxBudget) return result;
    return { ...result, metadata: { ...metadata, budget: this.#toReachedLimit('agent', this.#endedBy(metadata)) } };
  }

  /** Responses and active time, for the run's record. */
  counted(metadata: ResultMetadata | undefined): { responses: number; active_ms: number } {
    const { turns } = this.#deps.feed;
    const responses = turns > 0 ? turns : Math.max(0, metadata?.runTurns ?? 0);
    return { responses, active_ms: Math.round(this.#budget.ms) };
  }

  onNear(status: BudgetStatus): void {
    const { state } = this.#deps;
    state.change({ budget: { ...state.summary.budget, near: this.#budget.nearLimit ?? status } });
    this.#decide('budget_near', status);
  }

  onReached(status: BudgetStatus): void {
    const { state, stop } = this.#deps;
    state.change({ budget: { ...state.summary.budget, near: status } });
    this.#decide('budget_reached', status);
    stop();
  }

  onChanged(near: BudgetStatus | undefined): void {
    const { state } = this.#deps;
    const reported = state.summary.budget?.near;
    if (reported !== undefined && reported.limit !== near?.limit)
      state.change({ budget: { ...state.summary.budget, near } });
  }

  isWaitingForEnd(): boolean {
    const { feed, isOver, allowSelfExit } = this.#deps;
    const { reports, unfinished = false } = feed.output.facts();
    if (!isOver() || reports.length === 0 || unfinished) return false;
    allowSelfExit();
    return true;
  }

  #finalFigures({ cost, usage }: ResultMetadata): RunFigures {
    const { turns, callsTool } = this.#deps.feed;
    return { usd: cost, tokens: totalTokens(usage), turns, callsTool };
  }

  #figures(context: FiguresContext): RunFigures {
    const { feed } = this.#deps;
    const facts = feed.output.facts();
    const { cost = null, usage = {} } = estimateOf(facts, context).change;
    const used = { tokens: totalTokens(usage), turns: feed.turns, callsTool: feed.callsTool };
    if (cost?.provenance !== 'unknown') return { usd: cost && usdOf(cost), ...used };
    const { usd, unpriced } = pricedPart(facts, context.prices);
    if (unpriced !== undefined) void this.#checkModel(unpriced, usd !== null);
    return { usd, ...used };
  }

  /** Without prices, a limit in US dollars waits for the agent to report costs. `isPartial`: some prices are known. */
  async #checkModel(model: string, isPartial = false): Promise<void> {
    const { state, plan, feed } = this.#deps;
    const { bounds } = this.#budget;
    const inUsd = bounds.some(({ unit }) => unit === 'usd');
    if (this.#hasReportedUnpriced || !inUsd || findPrice(plan.figures.prices, model) !== undefined) return;
    this.#hasReportedUnpriced = true;
    const unenforceable = unenforceableText(model, bounds, isPartial);
    state.change({ budget: { ...state.summary.budget, unheld: unenforceable } });
    this.#decide('budget_unheld', { model });
    await feed.addNoteNow({ subtype: 'budget', content: unenforceable });
  }

  /** The limit with which the agent itself ended the run, found by the figures. */
  #endedBy(metadata: ResultMetadata): BudgetStatus {
    const unit = metadata.isMaxTurns ? 'turns' : 'usd';
    const own = mostUsed(this.#budget.agentStatuses().filter((status) => status.unit === unit));
    if (own !== undefined) return own;
    // The limit is from the agent's configuration, which does not report its value.
    const spent = (metadata.isMaxTurns ? metadata.runTurns : metadata.cost) ?? 0;
    return { scope: 'run', unit, key: this.#deps.state.id, limit: spent > 0 ? spent : 1, spent };
  }

  #toReachedLimit(by: ReachedLimit['by'], status: BudgetStatus): ReachedLimit {
    return { ...status, by, at: new Date(this.#deps.clock()).toISOString() };
  }

  #decide(type: string, what: object): void {
    const { state, plan, clock } = this.#deps;
    const decision = { type, at: new Date(clock()).toISOString(), run_id: plan.run.run_id, ...what };
    void state.append({ kind: 'decision', decision });
  }
}

/** Transcript note about the reached limit. */
export function reachedNote(reached: ReachedLimit): Note {
  const endedByAgent = reached.by === 'agent' ? ' The agent stopped at its own limit.' : '';
  const content = `${reachedText(reached)}${endedByAgent} Raise the limit to resume the session.`;
  return { subtype: 'budget', content, metadata: { budget: reached } };
}

function pausedResult(result: RunResult, metadata: ResultMetadata, budget: ReachedLimit): RunResult {
  const isMaxTurns = budget.unit === 'turns';
  return {
    ...result,
    success: false,
    error: reachedText(budget),
    metadata: {
      ...metadata,
      isMaxTurns,
      isMaxBudget: !isMaxTurns,
      endReason: isMaxTurns ? 'max_turns' : 'max_budget',
      budget,
    },
  };
}
