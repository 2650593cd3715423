import type { BudgetScope } from '../../model/usage/budgetNames.ts';
import { addBudgetUsage, noUsage, runsOf, type SessionRuns, type BudgetUsage } from './usedBudget.ts';
import type { LastDay } from '../../model/observedState.ts';
import { totalTokens } from '../../model/usage/usage.ts';
import { usdOf } from '../ledger/money.ts';
import type { Session } from '../../model/session/session.ts';
import { isReadOnly } from '../../model/session/importedSession.ts';

/** The run whose budgets these are. */
export interface BudgetOwner {
  readonly sessionId: string;
  /** Its parent or race. */
  readonly parentId?: string | undefined;
  /** Executor and profile. */
  readonly agent: string;
  /** The workspace folder. */
  readonly folder: string;
  /** Local calendar day (`2026-11-21`). */
  readonly day: string;
  /** The run is counted from its own figures. */
  readonly excludedRun?: string;
}

/** What a session from another program used on its last active day. */
export interface ObservedUse {
  /** The agent's own ids of the session. */
  readonly nativeIds: readonly string[];
  readonly executor: string;
  readonly lastDay: LastDay | undefined;
}

/** Scopes that include more than the run itself. */
export type SharedScope = Exclude<BudgetScope, 'message' | 'run'>;
export type SharedSpending = Readonly<Record<SharedScope, BudgetUsage>>;

export const noSharedSpending: SharedSpending = {
  session: noUsage,
  tree: noUsage,
  day: noUsage,
  agent: noUsage,
  workspace: noUsage,
};

/** What a session counts with in a tree: its parent, else its race, which is the root of all its sessions. */
export function parentIdOf(session: Pick<Session, 'parent_session_id' | 'race_id'>): string | undefined {
  return session.parent_session_id ?? session.race_id;
}

/** The first known ancestor. A cycle ends the search. */
export function rootOf(id: string, parentOf: (id: string) => string | undefined): string {
  const seen = new Set<string>([id]);
  for (let at = id; ;) {
    const parent = parentOf(at);
    if (parent === undefined || seen.has(parent)) return at;
    seen.add(parent);
    at = parent;
  }
}

export function agentKey(executor: string, profile: string | undefined): string {
  return profile === undefined ? executor : `${executor} ${profile}`;
}

/**
 * What all runs except `excludedRun` used, by scope. Recordings and imports do not count: they were paid for elsewhere, if at
 * all. Sessions from other programs count by day, unless Vitrine recorded them too; their turns and times are unknown. `now`:
 * epoch milliseconds; `dayOf` returns the local day of an ISO time; `isInside` says whether a folder is in another.
 */
export function sharedSpending(
  subject: BudgetOwner,
  sessions: readonly SessionRuns[],
  now: number,
  {
    dayOf,
    isInside,
    observed = [],
  }: {
    readonly dayOf: (at: string) => string;
    readonly isInside: (dir: string, folder: string) => boolean;
    readonly observed?: readonly ObservedUse[];
  },
): SharedSpending {
  const parents = new Map(sessions.map(({ summary }) => [summary.session_id, parentIdOf(summary)]));
  parents.set(subject.sessionId, subject.parentId);
  const parentOf = (id: string) => parents.get(id);
  const root = rootOf(subject.sessionId, parentOf);
  const sums = { ...noSharedSpending } as Record<SharedScope, BudgetUsage>;
  for (const session of sessions) {
    const { summary } = session;
    if (summary.recording || isReadOnly(summary)) continue;
    const own = summary.session_id === subject.sessionId;
    const whole: readonly SharedScope[] = [
      ...(own ? (['session'] as const) : []),
      ...(rootOf(summary.session_id, parentOf) === root ? (['tree'] as const) : []),
      ...(isInside(summary.project_dir ?? '', subject.folder) ? (['workspace'] as const) : []),
    ];
    const daily: readonly SharedScope[] = [
      'day',
      ...(agentKey(summary.executor_type ?? '', summary.executor_profile) === subject.agent
        ? (['agent'] as const)
        : []),
    ];
    for (const { runId, at, used } of runsOf(session, now)) {
      if (runId !== null && runId === subject.excludedRun) continue;
      const today = dayOf(at) === subject.day;
      for (const scope of today ? [...whole, ...daily] : whole) sums[scope] = addBudgetUsage(sums[scope], used);
    }
  }
  const recorded = new Set(sessions.flatMap(({ summary }) => summary.executor_session_ids));
  for (const { nativeIds, executor, lastDay } of observed) {
    if (lastDay?.date !== subject.day || nativeIds.some((id) => recorded.has(id))) continue;
    const used: BudgetUsage = { ...noUsage, usd: usdOf(lastDay.cost), tokens: totalTokens(lastDay.usage) };
    sums.day = addBudgetUsage(sums.day, used);
    if (executor === subject.agent) sums.agent = addBudgetUsage(sums.agent, used);
  }
  return sums;
}
