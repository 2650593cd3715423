import type { SharedSpending } from '../../insight/budgets/spentOfLimit.ts';
import {
  isNear,
  isOverrun,
  isUsedUp,
  msToNext,
  remaining,
  budgetStatuses,
  mostUsed,
} from '../../insight/budgets/budgetStatus.ts';
import { addBudgetUsage, noUsage, usageSince, type BudgetUsage } from '../../insight/budgets/usedBudget.ts';
import type { Bound, BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope } from '../../model/usage/budgetNames.ts';

/** Of the time that passes, at most this part goes into looking. */
const lookShare = 20;
const longestTimer = 0x7fffffff;

/** What a run has used, but for its time. */
export interface RunFigures extends Omit<BudgetUsage, 'ms'> {
  /** As `TurnCount.callsTool`. */
  readonly callsTool: boolean;
}

const nothingUsed: RunFigures = { usd: null, tokens: 0, turns: 0, callsTool: false };

export interface RunBudgetDeps {
  readonly clock: () => number;
  /** As `EngineDeps.monotonic`. */
  readonly monotonic: () => number;
  /** What other runs have used. */
  readonly elsewhere: SharedSpending;
  readonly bounds: readonly Bound[];
  /** Epoch milliseconds: limits of a day are those of another from then on. */
  readonly until: number;
}

export interface BudgetListener {
  /** Once for each limit. */
  near(status: BudgetStatus): void;
  /** Once. */
  reached(status: BudgetStatus): void;
  /** Limits or what others use are not what they were. `near`: the one that is near now. */
  changed(near: BudgetStatus | undefined): void;
  /** Where the agent has said all it was to say, no limit has anything to stop: it is left to end. Whether that is so. */
  isWaitingForEnd(): boolean;
}

/** Holds one run to every limit that it counts in, from what the agent says while it works. */
export class RunBudget {
  readonly #clock: () => number;
  readonly #monotonic: () => number;
  #bounds: readonly Bound[];
  #passedOn: readonly Bound[] = [];
  #others: SharedSpending;
  #until: number;
  #newDay: () => void = () => undefined;
  #listener: BudgetListener | undefined;
  #figures: RunFigures = nothingUsed;
  #messageBegan: BudgetUsage = noUsage;
  readonly #reported = new Set<string>();
  #reached: BudgetStatus | undefined;
  #nextLook = 0;
  #laterLook: { readonly timer: NodeJS.Timeout; readonly figures: () => RunFigures } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Running since then; `null` while it waits for a person, or is not running. */
  #since: number | null = null;
  #worked = 0;

  constructor({ clock, monotonic, elsewhere: others, bounds, until }: RunBudgetDeps) {
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.#until = until;
    this.#others = others;
    this.#bounds = bounds;
  }

  /** What ended the run, or is to. */
  get reached(): BudgetStatus | undefined {
    return this.#reached;
  }

  get bounds(): readonly Bound[] {
    return this.#bounds;
  }

  /** The limit that is near, and used up most. */
  get near(): BudgetStatus | undefined {
    return mostUsed(this.statuses().filter(isNear));
  }

  /** Milliseconds running. */
  get ms(): number {
    return this.#worked + (this.#since === null ? 0 : Math.max(0, Math.round(this.#monotonic() - this.#since)));
  }

  /**
   * What is left of all limits, for a program that can hold them on its own. `several`: it may be given several messages, and
   * does not tell them apart.
   */
  agentLimits(several: boolean): { readonly turns: number | undefined; readonly usd: number | undefined } {
    this.#passedOn = this.#bounds.filter(({ scope }) => !several || scope !== 'message');
    const left = (unit: 'turns' | 'usd'): number | undefined => remaining(this.#passedOn, this.#used(), unit);
    return { turns: left('turns'), usd: left('usd') };
  }

  /** The agent is running from now on. */
  begin(listener: BudgetListener): void {
    this.#listener = listener;
    this.#since = this.#monotonic();
    this.#check();
  }

  /** What the run has used so far; asked for no more often than it can be told without being felt. */
  look(figures: () => RunFigures): void {
    const began = this.#monotonic();
    if (this.#bounds.length === 0 || this.#laterLook !== undefined) return;
    if (began < this.#nextLook) {
      const later = (): void => {
        this.#laterLook = undefined;
        if (this.#listener !== undefined) this.look(figures);
      };
      this.#laterLook = { timer: setTimeout(later, this.#nextLook - began), figures };
      return;
    }
    this.#figures = figures();
    const now = this.#monotonic();
    this.#nextLook = now + (now - began) * lookShare;
    this.#check();
  }

  /** Time in which an agent waits for a person is not its own. */
  waits(yes: boolean): void {
    if (yes === (this.#since === null) || this.#listener === undefined) return;
    this.#worked = this.ms;
    this.#since = yes ? null : this.#monotonic();
    this.#check();
  }

  /** Whether another message may be said; it has the budget of a message for itself. */
  mayGoOn(figures: () => RunFigures): boolean {
    if (this.#reached !== undefined) return false;
    if (this.#bounds.length > 0) this.#figures = figures();
    const used = this.#isOfToday()
      ? this.statuses().find((each) => each.scope !== 'message' && isUsedUp(each))
      : undefined;
    if (used !== undefined) {
      this.#trip(used);
      return false;
    }
    this.#messageBegan = this.#own();
    return true;
  }

  /** Limits were raised, or others have used more. */
  update({
    bounds = this.#bounds,
    elsewhere: others = this.#others,
    until = this.#until,
  }: Partial<Omit<RunBudgetDeps, 'clock' | 'monotonic'>>): void {
    this.#bounds = bounds;
    this.#others = others;
    this.#until = until;
    this.#check();
    this.#listener?.changed(this.near);
  }

  /** `ask`: for an `update` with what counts on another day; nothing ends the run before it. */
  onNewDay(ask: () => void): void {
    this.#newDay = ask;
  }

  #isOfToday(): boolean {
    if (this.#clock() < this.#until) return true;
    this.#newDay();
    return false;
  }

  /** What was not looked at yet can be near a limit, and ends nothing any more. */
  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#laterLook?.timer);
    if (this.#laterLook !== undefined) {
      this.#figures = this.#laterLook.figures();
      this.#notifyNearLimits(this.statuses());
    }
    this.#worked = this.ms;
    this.#since = null;
    this.#listener = undefined;
  }

  /** What ended the run, by the figures with which it ended: an agent that is stopped says late what it used. */
  settle(figures: () => RunFigures): BudgetStatus | undefined {
    const reached = this.#reached;
    if (reached === undefined) return undefined;
    this.#figures = figures();
    const { scope, unit, key, limit } = reached;
    const same = (each: BudgetStatus): boolean => each.scope === scope && each.unit === unit && each.key === key;
    const spent = this.statuses().find(same)?.spent ?? reached.spent;
    return { ...reached, limit, spent: Math.max(spent, reached.spent) };
  }

  statuses(): readonly BudgetStatus[] {
    return budgetStatuses(this.#bounds, this.#used());
  }

  /** By the limits that the program was given: it does not hear of one that was raised since. */
  passedOn(): readonly BudgetStatus[] {
    return budgetStatuses(this.#passedOn, this.#used());
  }

  #used(): Readonly<Record<BudgetScope, BudgetUsage>> {
    const own = this.#own();
    return {
      message: usageSince(own, this.#messageBegan),
      run: own,
      session: addBudgetUsage(this.#others.session, own),
      tree: addBudgetUsage(this.#others.tree, own),
      day: addBudgetUsage(this.#others.day, own),
      agent: addBudgetUsage(this.#others.agent, own),
      workspace: addBudgetUsage(this.#others.workspace, own),
    };
  }

  #own(): BudgetUsage {
    const { usd, tokens, turns } = this.#figures;
    return { usd, tokens, turns, ms: this.ms };
  }

  #check(): void {
    if (this.#listener === undefined || this.#reached !== undefined || !this.#isOfToday()) return;
    const all = this.statuses();
    this.#notifyNearLimits(all);
    const over = mostUsed(all.filter((each) => isOverrun(each, this.#figures.callsTool)));
    if (over !== undefined && !this.#listener.isWaitingForEnd()) this.#trip(over);
    else this.#wait(this.#since === null ? null : msToNext(all));
  }

  #notifyNearLimits(all: readonly BudgetStatus[]): void {
    for (const status of all) {
      const name = `${status.scope} ${status.unit} ${status.limit}`;
      if (!isNear(status) || this.#reported.has(name)) continue;
      this.#reported.add(name);
      this.#listener?.near(status);
    }
  }

  #trip(status: BudgetStatus): void {
    this.#reached = status;
    clearTimeout(this.#timer);
    this.#listener?.reached(status);
  }

  #wait(ms: number | null): void {
    clearTimeout(this.#timer);
    this.#timer = ms === null ? undefined : setTimeout(() => this.#check(), Math.min(ms, longestTimer));
  }
}
