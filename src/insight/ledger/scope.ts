import type { RunFacts } from '../../model/usage/facts.ts';
import type { ModelUsage, TokenUsage } from '../../model/usage/usage.ts';
import type { PreviousCounters, Counters } from './counters.ts';
import {
  hasSideRequests,
  isAtLeast,
  plainModel,
  areSameTokens,
  subtractModels,
  sumUsage,
  type MainUsage,
} from './modelUsage.ts';
import { isSameUsd } from './money.ts';
import { isVersionSince } from '../../model/text/versions.ts';

interface Evidence {
  readonly counters: Counters;
  readonly before: PreviousCounters;
  readonly main: MainUsage;
  readonly facts: RunFacts;
  /** Version of the installed program, if the output does not say. */
  readonly agentVersion: string | null;
}

/** First version whose totals continue over resumes. */
const cumulativeSince = '2.1.277';

/**
 * Whether the printed totals cover this run or the session. The counters exclude impossible readings, whatever the version;
 * the version decides only between possible ones.
 */
export function totalScope({ counters, before, main, facts, agentVersion }: Evidence): 'run' | 'session' {
  // Printed only by versions with totals of the session.
  if (counters.own !== null) return 'session';
  if (!canContinue(counters, before, main)) return 'run';
  const reported = !hasSideRequests(facts) && main.model !== null;
  const exact = exactFit(counters, before, main);
  if (reported && exact !== null) return exact;
  const byVersion = isVersionSince(facts.agentVersion ?? agentVersion, cumulativeSince);
  if (byVersion !== null) return byVersion ? 'session' : 'run';
  // Versions that do not print thinking tokens by model are older.
  if (!counters.models.some(({ reasoning }) => reasoning !== undefined)) return 'run';
  return exact ?? before.counters?.scope ?? 'session';
}

/** Nothing has decreased since the last run, and this run's own usage fits into the increase. */
function canContinue(counters: Counters, before: PreviousCounters, main: MainUsage): boolean {
  const last = before.counters;
  if (last === null) return true;
  if (counters.usd < last.usd && !isSameUsd(counters.usd, last.usd)) return false;
  const lost = last.models.some((model) => {
    const now = counters.models.find((candidate) => candidate.model === model.model);
    return now === undefined ? !areSameTokens(model, {}) : !isAtLeast(now, model);
  });
  return !lost && isAtLeast(usageIncrease(counters, before, main.model), main.usage);
}

/** The only reading with which the totals equal the usage of the main conversation. */
function exactFit(counters: Counters, before: PreviousCounters, main: MainUsage): 'run' | 'session' | null {
  if (before.counters === null) return null;
  const run = areSameTokens(sumUsage(counters.models), main.usage);
  const session = areSameTokens(sumUsage(subtractModels(counters.models, before.counters.models)), main.usage);
  if (run === session) return null;
  return run ? 'run' : 'session';
}

/** Increase over the last totals: of that model, if totals and messages use the same names. */
function usageIncrease(counters: Counters, before: PreviousCounters, model: string | null): TokenUsage {
  const models = subtractModels(counters.models, before.counters?.models ?? []);
  const isOwn = (usage: ModelUsage): boolean => plainModel(usage.model) === model;
  return sumUsage(counters.models.some(isOwn) ? models.filter(isOwn) : models);
}
