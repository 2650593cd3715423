import type { SharedSpending } from '../../insight/budgets/spentOfLimit.ts';
import {
  isNearLimit,
  isOverrun,
  isUsedUp,
  msToNext,
  remainingBudget,
  budgetStatuses,
  mostUsed,
} from '../../insight/budgets/budgetStatus.ts';
import { addBudgetUsage, noUsage, usageSince, type BudgetUsage } from '../../insight/budgets/usedBudget.ts';
import type { Bound, BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope } from '../../model/usage/budgetNames.ts';

/** Checking may take at most 1/20 of the elapsed time. */
const checkShare = 20;
const longestTimer = 0x7fffffff;

/** Usage of a run without its time. */
export interface RunFigures extends Omit<BudgetUsage, 'ms'> {
  /** As `TurnCount.callsTool`. */
  readonly callsTool: boolean;
}

const nothingUsed: RunFigures = { usd: null, tokens: 0, turns: 0, callsTool: false };

export interface RunBudgetDeps {
  readonly clock: () => number;
  /** As `EngineDeps.monotonic`. */
  readonly monotonic: () => number;
  /** Usage of other runs. */
  readonly sharedSpending: SharedSpending;
  readonly bounds: readonly Bound[];
  /** Epoch milliseconds; daily limits start again then. */
  readonly dayEnd: number;
}

export interface BudgetListener {
  /** Called once per limit. */
  onNear(status: BudgetStatus): void;
  /** Called once. */
  onReached(status: BudgetStatus): void;
  /** Limits or the usage of others changed. `near`: the limit that is near now. */
  onChanged(near: BudgetStatus | undefined): void;
  /** True if the agent has finished and needs no stopping; it then gets time to exit. */
  isWaitingForEnd(): boolean;
}

/** Enforces all limits that apply to one run, from the agent's output during the run. */
export class RunBudget {
  readonly #clock: () => number;
  readonly #monotonic: () => number;
  #bounds: readonly Bound[];
  #agentBounds: readonly Bound[] = [];
  #otherSpending: SharedSpending;
  #dayEnd: number;
  #onNewDay: () => void = () => undefined;
  #listener: BudgetListener | undefined;
  #figures: RunFigures = nothingUsed;
  #usageBeforeMessage: BudgetUsage = noUsage;
  readonly #reportedNearLimits = new Set<string>();
  #reachedBudget: BudgetStatus | undefined;
  #nextCheckAt = 0;
  #deferredCheck: { readonly timer: NodeJS.Timeout; readonly figures: () => RunFigures } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Start of the current active period; `null` while the agent waits for the user or is not running. */
  #activeSince: number | null = null;
  #activeMs = 0;

  constructor({ clock, monotonic, sharedSpending: others, bounds, dayEnd }: RunBudgetDeps) {
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.#dayEnd = dayEnd;
    this.#otherSpending = others;
    this.#bounds = bounds;
  }

  /** The limit that ended the run or will end it. */
  get reachedLimit(): BudgetStatus | undefined {
    return this.#reachedBudget;
  }

  get bounds(): readonly Bound[] {
    return this.#bounds;
  }

  /** The limit that is nearest to being reached. */
  get nearLimit(): BudgetStatus | undefined {
    return mostUsed(this.statuses().filter(isNearLimit));
  }

  /** Active time in milliseconds. */
  get ms(): number {
    return (
      this.#activeMs + (this.#activeSince === null ? 0 : Math.max(0, Math.round(this.#monotonic() - this.#activeSince)))
    );
  }

  /**
   * Remaining limits, for a program that can enforce them. `mayGetSeveral`: the program may get several messages and counts
   * them together.
   */
  agentLimits(mayGetSeveral: boolean): { readonly turns: number | undefined; readonly usd: number | undefined } {
    this.#agentBounds = this.#bounds.filter(({ scope }) => !mayGetSeveral || scope !== 'message');
    const remainingOf = (unit: 'turns' | 'usd'): number | undefined =>
      remainingBudget(this.#agentBounds, this.#usageByScope(), unit);
    return { turns: remainingOf('turns'), usd: remainingOf('usd') };
  }

  /** The agent starts running. */
  begin(listener: BudgetListener): void {
    this.#listener = listener;
    this.#activeSince = this.#monotonic();
    this.#check();
  }

  /** Checks the usage so far, at a rate that does not slow the run down. */
  check(figures: () => RunFigures): void {
    const began = this.#monotonic();
    if (this.#bounds.length === 0 || this.#deferredCheck !== undefined) return;
    if (began < this.#nextCheckAt) {
      const later = (): void => {
        this.#deferredCheck = undefined;
        if (this.#listener !== undefined) this.check(figures);
      };
      this.#deferredCheck = { timer: setTimeout(later, this.#nextCheckAt - began), figures };
      return;
    }
    this.#figures = figures();
    const now = this.#monotonic();
    this.#nextCheckAt = now + (now - began) * checkShare;
    this.#check();
  }

  /** Time in which the agent waits for the user does not count. */
  setWaiting(isWaiting: boolean): void {
    if (isWaiting === (this.#activeSince === null) || this.#listener === undefined) return;
    this.#activeMs = this.ms;
    this.#activeSince = isWaiting ? null : this.#monotonic();
    this.#check();
  }

  /** Whether another message may be sent. A message limit counts per message. */
  maySend(figures: () => RunFigures): boolean {
    if (this.#reachedBudget !== undefined) return false;
    if (this.#bounds.length > 0) this.#figures = figures();
    const used = this.#checkDay()
      ? this.statuses().find((status) => status.scope !== 'message' && isUsedUp(status))
      : undefined;
    if (used !== undefined) {
      this.#reachLimit(used);
      return false;
    }
    this.#usageBeforeMessage = this.#ownUsage();
    return true;
  }

  /** Limits were raised, or other runs have used more. */
  update({
    bounds = this.#bounds,
    sharedSpending: others = this.#otherSpending,
    dayEnd = this.#dayEnd,
  }: Partial<Omit<RunBudgetDeps, 'clock' | 'monotonic'>>): void {
    this.#bounds = bounds;
    this.#otherSpending = others;
    this.#dayEnd = dayEnd;
    this.#check();
    this.#listener?.onChanged(this.nearLimit);
  }

  /** `requestUpdate` requests an `update` with the new day's usage; no limit ends the run before that. */
  onNewDay(requestUpdate: () => void): void {
    this.#onNewDay = requestUpdate;
  }

  /** Whether the usage of other runs is that of today; if not, requests it. */
  #checkDay(): boolean {
    if (this.#clock() < this.#dayEnd) return true;
    this.#onNewDay();
    return false;
  }

  /** Stops checking: usage that was not checked yet may still be reported as near. */
  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#deferredCheck?.timer);
    if (this.#deferredCheck !== undefined) {
      this.#figures = this.#deferredCheck.figures();
      this.#notifyNearLimits(this.statuses());
    }
    this.#activeMs = this.ms;
    this.#activeSince = null;
    this.#listener = undefined;
  }

  /** The limit that ended the run, by the final figures: a stopped agent reports its usage late. */
  settle(figures: () => RunFigures): BudgetStatus | undefined {
    const reached = this.#reachedBudget;
    if (reached === undefined) return undefined;
    this.#figures = figures();
    const { scope, unit, key, limit } = reached;
    const isSameStatus = (status: BudgetStatus): boolean =>
      status.scope === scope && status.unit === unit && status.key === key;
    const spent = this.statuses().find(isSameStatus)?.spent ?? reached.spent;
    return { ...reached, limit, spent: Math.max(spent, reached.spent) };
  }

  statuses(): readonly BudgetStatus[] {
    return budgetStatuses(this.#bounds, this.#usageByScope());
  }

  /** Limits as passed to the program, which does not learn about raises. */
  agentStatuses(): readonly BudgetStatus[] {
    return budgetStatuses(this.#agentBounds, this.#usageByScope());
  }

  #usageByScope(): Readonly<Record<BudgetScope, BudgetUsage>> {
    const own = this.#ownUsage();
    return {
      message: usageSince(own, this.#usageBeforeMessage),
      run: own,
      session: addBudgetUsage(this.#otherSpending.session, own),
      tree: addBudgetUsage(this.#otherSpending.tree, own),
      day: addBudgetUsage(this.#otherSpending.day, own),
      agent: addBudgetUsage(this.#otherSpending.agent, own),
      workspace: addBudgetUsage(this.#otherSpending.workspace, own),
    };
  }

  #ownUsage(): BudgetUsage {
    const { usd, tokens, turns } = this.#figures;
    return { usd, tokens, turns, ms: this.ms };
  }

  #check(): void {
    if (this.#listener === undefined || this.#reachedBudget !== undefined || !this.#checkDay()) return;
    const all = this.statuses();
    this.#notifyNearLimits(all);
    const exceeded = mostUsed(all.filter((status) => isOverrun(status, this.#figures.callsTool)));
    if (exceeded !== undefined && !this.#listener.isWaitingForEnd()) this.#reachLimit(exceeded);
    else this.#wait(this.#activeSince === null ? null : msToNext(all));
  }

  #notifyNearLimits(all: readonly BudgetStatus[]): void {
    for (const status of all) {
      const name = `${status.scope} ${status.unit} ${status.limit}`;
      if (!isNearLimit(status) || this.#reportedNearLimits.has(name)) continue;
      this.#reportedNearLimits.add(name);
      this.#listener?.onNear(status);
    }
  }

  #reachLimit(status: BudgetStatus): void {
    this.#reachedBudget = status;
    clearTimeout(this.#timer);
    this.#listener?.onReached(status);
  }

  #wait(ms: number | null): void {
    clearTimeout(this.#timer);
    this.#timer = ms === null ? undefined : setTimeout(() => this.#check(), Math.min(ms, longestTimer));
  }
}
