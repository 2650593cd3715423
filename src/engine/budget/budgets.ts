import path from 'node:path';
import type { LineOf } from '../../formats/record.ts';
import { boundsOf, stricterBudgets } from '../../insight/budgets/limits.ts';
import {
  parentIdOf,
  agentKey,
  noSharedSpending,
  rootOf,
  sharedSpending,
  type ObservedUse,
  type SharedSpending,
} from '../../insight/budgets/spentOfLimit.ts';
import { isUsedUp, budgetStatuses } from '../../insight/budgets/budgetStatus.ts';
import type { SessionRuns } from '../../insight/budgets/usedBudget.ts';
import type { Bound, Budgets as Limiting, Limits, BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope } from '../../model/usage/budgetNames.ts';
import type { Session } from '../../model/session/session.ts';
import type { Disposable, EngineSettings, Log } from '../api.ts';
import { failures } from '../failures/failures.ts';
import { localDay, msToMidnight } from '../usage/localDay.ts';
import { RaisedLimits } from './raises.ts';
import { RunBudget } from './runBudget.ts';

/** Delay after other usage or limits changed, in ms. Changes during the delay are handled together. */
const changeDelayMs = 1000;

type Decision = LineOf<'decision'>['decision'];

export interface BudgetsDeps {
  readonly storeDir: string;
  readonly clock: () => number;
  readonly monotonic?: () => number;
  readonly log: Log;
  readonly settings: () => Pick<EngineSettings, 'budgets'>;
  /** All sessions with their runs, including current figures of running ones. */
  readonly sessionRuns: () => Promise<readonly SessionRuns[]>;
  /** Usage of observed sessions; absent: they do not count. */
  readonly observedUsage?: (() => Promise<readonly ObservedUse[]>) | undefined;
  /** Called with the session when a run has used something. */
  readonly onRunUsage: (listener: (sessionId: string) => void) => Disposable;
  /** Called when an observed session has used something. */
  readonly onObservedUsage?: ((listener: () => void) => Disposable) | undefined;
  /** Called when limits in settings may have changed. */
  readonly onLimitsChanged?: ((listener: () => void) => Disposable) | undefined;
  /** Writes a decision to the record of a session. */
  readonly recordDecision: (sessionId: string, decision: Decision) => Promise<void>;
}

/** A run under budgets. */
export interface BudgetedRun {
  readonly runId: string;
  readonly session: Session;
  /** Limits of this run, in addition to the settings. */
  readonly limits: Limits | undefined;
  /** Limits of all runs of its race together. */
  readonly raceLimits?: Limits | undefined;
}

/** Budgets of agents: checks them before each run and watches them during the run. */
export class Budgets {
  readonly #deps: BudgetsDeps;
  readonly #raisedLimits: RaisedLimits;
  readonly #activeRuns = new Map<RunBudget, BudgetedRun>();

  constructor(deps: BudgetsDeps) {
    this.#deps = deps;
    this.#raisedLimits = new RaisedLimits(deps.storeDir);
  }

  /** Call before starting anything. `session` need not have a record. @throws EngineFailure if a budget is exhausted */
  async assertWithinBudgets(session: Session, limits: Limits | undefined, raceLimits?: Limits): Promise<void> {
    const { bounds, sharedSpending: others } = await this.#statusOf({ session, limits, raceLimits });
    const used = budgetStatuses(bounds, others).find(isUsedUp);
    if (used === undefined) return;
    if (session.status !== 'pending') await this.#recordDecision(session.session_id, 'budget_refused', used);
    throw failures.budgetUsedUp(used);
  }

  /** Budget of a run that is about to start. */
  async createRunBudget(run: BudgetedRun): Promise<RunBudget> {
    const { clock, monotonic = () => performance.now() } = this.#deps;
    return new RunBudget({ clock, monotonic, ...(await this.#statusOf(run)) });
  }

  /** Updates the budget with usage of other runs and with changed limits until the run ends. */
  keepUpdated(budget: RunBudget, run: BudgetedRun, done: Promise<unknown>): void {
    this.#activeRuns.set(budget, run);
    let timer: NodeJS.Timeout | undefined;
    let isReading = false;
    let mustReadAgain = false;
    let hasEnded = false;
    const readStatus = (): void => {
      clearTimeout(timer);
      timer = undefined;
      mustReadAgain = isReading;
      if (isReading) return;
      isReading = true;
      this.#statusOf(run)
        .then((budgetStatus) => budget.update(budgetStatus))
        .catch((error: unknown) => {
          this.#deps.log.warn(`Budgets: ${String(error)}`);
          budget.update({ dayEnd: Infinity });
        })
        .finally(() => {
          isReading = false;
          if (mustReadAgain) scheduleRead();
        });
    };
    const scheduleRead = (): void => {
      if (!hasEnded) timer ??= setTimeout(readStatus, changeDelayMs);
    };
    budget.onNewDay(readStatus);
    const changes = this.#watchChanges(run, scheduleRead);
    void done.finally(() => {
      hasEnded = true;
      clearTimeout(timer);
      for (const change of changes) change.dispose();
      this.#activeRuns.delete(budget);
    });
  }

  /** Watches everything that can change a run's budget, except its own usage, which counts immediately. */
  #watchChanges({ session, limits, raceLimits }: BudgetedRun, onChange: () => void): readonly Disposable[] {
    const { onRunUsage, onObservedUsage, onLimitsChanged } = this.#deps;
    const applicable = this.#applicableLimits(session, limits, raceLimits);
    const others = onRunUsage((id) => {
      if (id !== session.session_id) onChange();
    });
    const observed =
      applicable?.countsObserved === true && isDaily(applicable.budgets) ? onObservedUsage?.(onChange) : undefined;
    return [others, observed, onLimitsChanged?.(onChange)].filter((disposable) => disposable !== undefined);
  }

  /** The user raises a limit, which also applies to active runs. @throws EngineFailure if it cannot be stored */
  async raise(sessionId: string | undefined, raise: Bound): Promise<void> {
    await this.#raisedLimits.add(raise);
    if (sessionId !== undefined) await this.#recordDecision(sessionId, 'budget_raised', raise);
    for (const [budget, run] of this.#activeRuns) budget.update(await this.#statusOf(run));
  }

  async #recordDecision(sessionId: string, type: string, what: Bound | BudgetStatus): Promise<void> {
    const at = new Date(this.#deps.clock()).toISOString();
    await this.#deps
      .recordDecision(sessionId, { type, at, ...what })
      .catch((error: unknown) => this.#deps.log.warn(`${sessionId}: ${type} is not in its record: ${String(error)}`));
  }

  async #statusOf({
    session,
    limits,
    raceLimits,
    runId,
  }: Omit<BudgetedRun, 'runId'> & { readonly runId?: string }): Promise<{
    readonly bounds: readonly Bound[];
    readonly sharedSpending: SharedSpending;
    /** End of the local day, epoch milliseconds. */
    readonly dayEnd: number;
  }> {
    const now = this.#deps.clock();
    const dayEnd = now + msToMidnight(now);
    const applicable = this.#applicableLimits(session, limits, raceLimits);
    if (applicable === undefined) return { bounds: [], sharedSpending: noSharedSpending, dayEnd };
    const { budgets, folder, countsObserved } = applicable;
    const day = localDay(now);
    const { session_id: id, executor_type: type = '', executor_profile: profile } = session;
    const parent = parentIdOf(session);
    const agent = agentKey(type, profile);
    // If only single runs are limited, other runs do not matter.
    const shared =
      budgets.session ?? budgets.tree ?? budgets.day ?? budgets.agent ?? budgets.agents ?? budgets.workspace;
    const sessions = shared === undefined ? [] : await this.#deps.sessionRuns();
    const observed = isDaily(budgets) && countsObserved ? ((await this.#deps.observedUsage?.()) ?? []) : [];
    const parents = new Map(sessions.map(({ summary }) => [summary.session_id, parentIdOf(summary)]));
    const keys: Record<BudgetScope, string> = {
      message: id,
      run: id,
      session: id,
      tree: parent === undefined ? id : rootOf(parent, (child) => parents.get(child)),
      day,
      agent: `${agent} ${day}`,
      workspace: folder,
    };
    const subject = {
      sessionId: id,
      parentId: parent,
      agent,
      folder,
      day,
      ...(runId !== undefined && { excludedRun: runId }),
    };
    const bounds = boundsOf(budgets, type, keys, await this.#raisedLimits.all());
    const others = sharedSpending(subject, sessions, now, { dayOf: localDay, isInside: isInFolder, observed });
    return { bounds, sharedSpending: others, dayEnd };
  }

  /** Limits that apply to a session's runs. Recordings are free. */
  #applicableLimits(
    { executor_type: type, project_dir: dir = '' }: Session,
    limits: Limits | undefined,
    raceLimits: Limits | undefined,
  ): { readonly budgets: Limiting; readonly folder: string; readonly countsObserved: boolean } | undefined {
    if (type === 'replay') return undefined;
    const { limits: set = {}, folder = dir, observed = true } = this.#deps.settings().budgets?.(dir) ?? {};
    const budgets =
      limits === undefined && raceLimits === undefined
        ? set
        : stricterBudgets(set, {
            ...(limits !== undefined && { run: limits }),
            ...(raceLimits !== undefined && { tree: raceLimits }),
          });
    return Object.keys(budgets).length === 0 ? undefined : { budgets, folder, countsObserved: observed };
  }
}

function isDaily({ day, agent, agents }: Limiting): boolean {
  return (day ?? agent ?? agents) !== undefined;
}

function isInFolder(dir: string, folder: string): boolean {
  const between = path.relative(folder, dir);
  return between === '' || !(between === '..' || between.startsWith(`..${path.sep}`) || path.isAbsolute(between));
}
