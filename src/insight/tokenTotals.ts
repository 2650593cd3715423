import type { RunFacts, RunReport } from '../model/facts.ts';
import type { ResultMetadata } from '../model/result.ts';
import type { ModelUsage } from '../model/usage.ts';
import { subtractUsage } from '../model/usage.ts';
import { countersOf, type Totals } from './counters.ts';
import { covers, subtractModels, sumUsage, unknownModel } from './modelUsage.ts';
import { isEmptyUsage } from './prices.ts';

/** Tokens of an agent that prints them with its closing line, but no cost. */
export interface TokenTotals {
  readonly own: readonly ModelUsage[];
  readonly totals: Totals;
  readonly apiDuration: number | null;
}

export interface ApiTime {
  readonly apiDuration: number | null;
  /** `null` where the agent prints no such time. */
  readonly totals: Totals | null;
}

/** This run's tokens out of those that the closing lines print; `null` where they print none. */
export function tokenTotalsOf(facts: RunFacts, previous: readonly ResultMetadata[]): TokenTotals | null {
  const named = facts.reports.some(({ models }) => models.length > 0);
  const counted = facts.reports.flatMap((report) => {
    const models = named ? report.models : unnamed(report, facts.model);
    return models.length === 0 ? [] : [{ ...report, models }];
  });
  // Added up as costs are: lines of one process run on, or start again.
  const counters = countersOf(counted.map((report) => ({ ...report, usd: 0, runModels: null })));
  if (counters === null) return null;
  const { models, apiDuration } = counters;
  const last = previous.findLast((run) => run.counters !== null && run.counters.models.length > 0)?.counters;
  const before = last === undefined || last === null ? [] : last.models;
  const scope = coverOf(counted, models, before);
  const totals: Totals = { scope, usd: null, models, apiDuration };
  if (scope === 'run') return { own: models, totals, apiDuration };
  const own = named ? subtractModels(models, before) : fromSum(models, before);
  return { own, totals, apiDuration: apiTimeOf(facts, previous).apiDuration };
}

/** Time in the API of this run, for an agent that prints it whether it prints tokens or not. */
export function apiTimeOf(facts: RunFacts, previous: readonly ResultMetadata[]): ApiTime {
  const last = facts.reports.findLast(({ apiDurationMs }) => apiDurationMs !== null);
  const apiDuration = last?.apiDurationMs ?? null;
  if (apiDuration === null) return { apiDuration, totals: null };
  const times = previous.flatMap(({ counters }) => counters?.apiDuration ?? []);
  const before = times.at(-1) ?? 0;
  const scope = last?.cover?.of === 'session' && apiDuration >= before ? 'session' : 'run';
  const totals: Totals = { scope, usd: null, models: [], apiDuration };
  return { apiDuration: scope === 'session' ? apiDuration - before : apiDuration, totals };
}

function unnamed({ usage }: RunReport, model: string | null): ModelUsage[] {
  return usage === null || isEmptyUsage(usage) ? [] : [{ model: model ?? unknownModel, ...usage }];
}

/** A session's tokens can only grow; where they did not, the line counts the run, whatever versions usually do. */
function coverOf(
  reports: readonly RunReport[],
  models: readonly ModelUsage[],
  before: readonly ModelUsage[],
): 'run' | 'session' {
  const cover = reports.findLast((report) => report.cover !== undefined)?.cover;
  if (cover === undefined || cover.of === 'run') return 'run';
  return cover.sure || covers(sumUsage(models), sumUsage(before)) ? 'session' : 'run';
}

/** The sum is of all models; what came on top is of this run's. */
function fromSum(models: readonly ModelUsage[], before: readonly ModelUsage[]): ModelUsage[] {
  return models.map(({ model }) => ({ model, ...subtractUsage(sumUsage(models), sumUsage(before)) }));
}
