import type { RunFacts, RunReport } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import { type ModelUsage, subtractUsage } from '../../model/usage/usage.ts';
import { countersOf, type Totals } from './counters.ts';
import { isAtLeast, areSameTokens, subtractModels, sumUsage, unknownModel } from './modelUsage.ts';
import { isEmptyUsage } from '../prices/prices.ts';
import { isVersionSince } from '../../model/text/versions.ts';

/** For agents that print tokens with the closing line, but no cost. */
export interface TokenTotals {
  readonly own: readonly ModelUsage[];
  /** Why this run's own tokens are unknown, if its totals have none. */
  readonly missing?: string;
  readonly totals: Totals;
  readonly apiDuration: number | null;
}

export interface ApiTime {
  readonly apiDuration: number | null;
  /** `null` if the agent prints no such time. */
  readonly totals: Totals | null;
}

/** This run's tokens from those in the closing lines; `null` if there are none. */
export function tokenTotalsOf(
  facts: RunFacts,
  previous: readonly ResultMetadata[],
  agentVersion: string | null,
): TokenTotals | null {
  const named = facts.reports.some(({ models }) => models.length > 0);
  const counted = facts.reports.flatMap((report) => {
    const models = named ? report.models : withoutModelName(report, facts.model);
    return models.length === 0 ? [] : [{ ...report, models }];
  });
  // Added up like costs: lines of one process accumulate, or start again.
  const counters = countersOf(counted.map((report) => ({ ...report, usd: 0, runModels: null })));
  if (counters === null) return null;
  const { models, apiDuration } = counters;
  const last = previous.findLast((run) => run.counters !== null && run.counters.models.length > 0)?.counters;
  const before = last?.models ?? [];
  const version = facts.agentVersion ?? agentVersion;
  const scope = coverageOf(counted, models, { models: before, scope: last?.scope ?? 'session' }, version);
  const totals: Totals = { scope, usd: null, models, apiDuration };
  if (scope === 'run') return { own: models, totals, apiDuration };
  if (hasSameTotals(models, before) && counted.at(-1)?.isError === false) {
    return { own: [], missing: notCounted, totals, apiDuration: apiTimeOf(facts, previous).apiDuration };
  }
  const own = named ? subtractModels(models, before) : subtractTotals(models, before);
  return { own, totals, apiDuration: apiTimeOf(facts, previous).apiDuration };
}

/** API time of this run, for agents that print it. */
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

function withoutModelName({ usage }: RunReport, model: string | null): ModelUsage[] {
  return usage === null || isEmptyUsage(usage) ? [] : [{ model: model ?? unknownModel, ...usage }];
}

const notCounted = "The agent's total for the session did not change in this run, although the model answered.";

/**
 * The counters exclude impossible readings, whatever the version: a session's tokens can only grow. The version decides
 * between possible ones. If it is unknown, unchanged totals mean that two runs used the same, and this run is read like the
 * last one.
 */
function coverageOf(
  reports: readonly RunReport[],
  models: readonly ModelUsage[],
  before: Pick<Totals, 'models' | 'scope'>,
  version: string | null,
): 'run' | 'session' {
  const cover = reports.findLast((report) => report.cover !== undefined)?.cover;
  if (cover === undefined || cover.of === 'run') return 'run';
  if (cover.sure) return 'session';
  if (!isAtLeast(sumUsage(models), sumUsage(before.models))) return 'run';
  const holds = cover.since === undefined ? true : isVersionSince(version, cover.since);
  if (holds !== null) return holds ? 'session' : 'run';
  return hasSameTotals(models, before.models) ? 'run' : before.scope;
}

function hasSameTotals(models: readonly ModelUsage[], before: readonly ModelUsage[]): boolean {
  return areSameTokens(sumUsage(models), sumUsage(before));
}

/** The total is of all models; the increase is this run's. */
function subtractTotals(models: readonly ModelUsage[], before: readonly ModelUsage[]): ModelUsage[] {
  return models.map(({ model }) => ({ model, ...subtractUsage(sumUsage(models), sumUsage(before)) }));
}
