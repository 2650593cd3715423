import type { RunReport } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { ModelUsage } from '../../model/usage/usage.ts';
import { addModels, isAtLeast, sumUsage, sumUsd } from './modelUsage.ts';
import { addUsd } from './money.ts';
import { isEmptyUsage } from '../prices/prices.ts';

/** The agent's totals when a process ended, and this run's own share of them where it prints that too. */
export interface Counters {
  readonly usd: number;
  readonly models: readonly ModelUsage[];
  readonly apiDuration: number | null;
  readonly own: { readonly usd: number; readonly models: readonly ModelUsage[] } | null;
}

/**
 * The totals of one process out of its closing lines. They run on from line to line; one that is smaller than the line
 * before has started again and is added. `null` where no line has a cost.
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
    apiDuration: running(priced.map(({ apiDurationMs }) => apiDurationMs)),
    own: own === null || ownUsd === null ? null : { usd: ownUsd, models: own },
  };
}

/** Durations in the API run on within a process, as totals do. */
function running(values: readonly (number | null)[]): number | null {
  let total: number | null = null;
  for (const value of values) {
    if (value === null) continue;
    total = total !== null && value < total ? total + value : value;
  }
  return total;
}

/** The agent's totals as last printed and what they cover; `usd` is `null` where it prints no costs. */
export interface Totals {
  readonly scope: 'run' | 'session';
  readonly usd: number | null;
  readonly models: readonly ModelUsage[];
  readonly apiDuration: number | null;
}

/** The agent's counters before this run, as far as the earlier runs of the session tell. */
export interface PreviousCounters {
  /** Last totals that the agent printed. */
  readonly counters: (Totals & { readonly usd: number }) | null;
  /** What the session had come to by our count when the agent printed them. */
  readonly atCounters: ResultMetadata | null;
  /** What the session has come to by our count. */
  readonly last: ResultMetadata | null;
  /** Runs after the last printed totals: killed ones, mostly. */
  readonly unreported: readonly ResultMetadata[];
}

export function beforeOf(previous: readonly ResultMetadata[]): PreviousCounters {
  const ran = previous.filter((run) => !nothingRan(run));
  const at = ran.findLastIndex((run) => run.counters !== null && run.counters.usd !== null && !usedNothing(run));
  const run = ran[at];
  const printed = run?.counters;
  return {
    counters:
      printed === undefined || printed === null || printed.usd === null
        ? null
        : { scope: printed.scope, usd: printed.usd, models: printed.models, apiDuration: printed.apiDuration },
    atCounters: run ?? null,
    last: ran.at(-1) ?? null,
    unreported: ran.slice(at + 1),
  };
}

/** A run that failed at once prints totals that may leave out what the runs before it used, which printed none. */
function usedNothing({ cost, usage }: ResultMetadata): boolean {
  return cost === 0 && isEmptyUsage(usage);
}

/** A run that failed before the agent printed anything (a flag it does not know, a missing program) used nothing. */
function nothingRan(run: ResultMetadata): boolean {
  return run.counters === null && run.models.length === 0 && run.lines.total === 0 && run.endReason === 'error';
}
