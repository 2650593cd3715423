import type { RunReport } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { ModelUsage } from '../../model/usage/usage.ts';
import { addModels, isAtLeast, sumUsage, sumUsd } from './modelUsage.ts';
import { addUsd } from './money.ts';
import { isEmptyUsage } from '../prices/prices.ts';

/** The agent's totals when a process ended, and this run's share if it prints that too. */
export interface Counters {
  readonly usd: number;
  readonly models: readonly ModelUsage[];
  readonly apiDuration: number | null;
  readonly own: { readonly usd: number; readonly models: readonly ModelUsage[] } | null;
}

/**
 * Totals of one process from its closing lines. Totals grow from line to line; a smaller one means that counting
 * started again, and is added. `null` if no line has a cost.
 */
export function countersOf(reports: readonly RunReport[]): Counters | null {
  const priced = reports.filter((report) => report.usd !== null);
  if (priced.length === 0) return null;
  let usd = 0;
  let models: readonly ModelUsage[] = [];
  let own: readonly ModelUsage[] | null = [];
  for (const report of priced) {
    const again = (report.usd ?? 0) < usd || !isAtLeast(sumUsage(report.models), sumUsage(models));
    usd = again ? addUsd(usd, report.usd ?? 0) : (report.usd ?? 0);
    models = again ? addModels(models, report.models) : report.models;
    own = own === null || report.runModels === null ? null : addModels(own, report.runModels);
  }
  const ownUsd = own === null ? null : sumUsd(own);
  return {
    usd,
    models,
    apiDuration: accumulate(priced.map(({ apiDurationMs }) => apiDurationMs)),
    own: own === null || ownUsd === null ? null : { usd: ownUsd, models: own },
  };
}

/** API durations accumulate within a process, like totals. */
function accumulate(values: readonly (number | null)[]): number | null {
  let total: number | null = null;
  for (const value of values) {
    if (value === null) continue;
    total = total !== null && value < total ? total + value : value;
  }
  return total;
}

/** The agent's last printed totals and what they cover; `usd` is `null` if it prints no costs. */
export interface Totals {
  readonly scope: 'run' | 'session';
  readonly usd: number | null;
  readonly models: readonly ModelUsage[];
  readonly apiDuration: number | null;
}

/** The agent's counters before this run, from earlier runs of the session. */
export interface PreviousCounters {
  /** Last printed totals. */
  readonly counters: (Totals & { readonly usd: number }) | null;
  /** The session's usage by our count when the agent printed them. */
  readonly resultAtCounters: ResultMetadata | null;
  /** The session's usage by our count. */
  readonly last: ResultMetadata | null;
  /** Runs after the last printed totals, mostly killed ones. */
  readonly unreported: readonly ResultMetadata[];
}

export function previousCounters(previous: readonly ResultMetadata[]): PreviousCounters {
  const ran = previous.filter((run) => !hasNoUsage(run));
  const at = ran.findLastIndex((run) => run.counters !== null && run.counters.usd !== null && !hasUsedNothing(run));
  const run = ran[at];
  const printed = run?.counters;
  return {
    counters:
      printed === undefined || printed === null || printed.usd === null
        ? null
        : { scope: printed.scope, usd: printed.usd, models: printed.models, apiDuration: printed.apiDuration },
    resultAtCounters: run ?? null,
    last: ran.at(-1) ?? null,
    unreported: ran.slice(at + 1),
  };
}

/**
 * End reason of the history that a fork begins with. It used nothing itself, and the agent's totals continue from it.
 */
export const inheritedEnd = 'forked';

/** A run that failed immediately may print totals without the usage of earlier runs that printed none. */
function hasUsedNothing({ cost, usage, endReason }: ResultMetadata): boolean {
  return cost === 0 && isEmptyUsage(usage) && endReason !== inheritedEnd;
}

/** A run that failed before any output (an unknown flag, a missing program) used nothing. */
function hasNoUsage(run: ResultMetadata): boolean {
  return run.counters === null && run.models.length === 0 && run.lines.total === 0 && run.endReason === 'error';
}
