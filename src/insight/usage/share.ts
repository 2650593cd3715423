import type { RunFacts } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import { type Cost, type ModelUsage, type TokenUsage, addUsage, subtractUsage } from '../../model/usage/usage.ts';
import type { PreviousCounters, Counters } from '../ledger/counters.ts';
import {
  addModels,
  hasSideRequests,
  isAtLeast,
  isOnlyMainUsage,
  mainModel,
  mainUsage,
  modelsOfMessages,
  paidKinds,
  plainModel,
  areSameTokens,
  subtractModels,
  sumUsage,
  unknownModel,
  type MainUsage,
} from '../ledger/modelUsage.ts';
import { addCosts, joinReasons, isSameUsd, scaleUsd, subtractUsd, unknownCost } from '../ledger/money.ts';
import { findPrice, isEmptyUsage, priceOf, priceTableRef, type PriceTable } from '../prices/prices.ts';
import { totalScope } from '../ledger/scope.ts';

/** This run's share of the agent's totals. */
export interface Share {
  /** Whether the totals cover the run or the session. */
  readonly scope: 'run' | 'session';
  readonly cost: Cost;
  readonly models: readonly ModelUsage[];
  /**
   * The session's totals when this run began: as last printed (`known`), higher (`ahead`: they include runs that
   * printed nothing, or unknown ones), or unrelated (`apart`: they do not continue from what was printed).
   */
  readonly began: 'known' | 'ahead' | 'apart';
  /** Earlier runs without printed totals that no later total includes: the agent has lost their usage. */
  readonly lost: readonly ResultMetadata[];
}

/** Calculates this run's share of what the agent printed at its end. */
export function shareOf(
  facts: RunFacts,
  counters: Counters,
  before: PreviousCounters,
  { prices, agentVersion }: { prices: PriceTable; agentVersion: string | null },
): Share {
  const main = mainUsage(facts);
  const scope = totalScope({ counters, before, main, facts, agentVersion });
  if (scope === 'run') {
    return {
      scope,
      cost: reportedCost(counters.usd),
      models: counters.models,
      began: 'apart',
      lost: before.unreported,
    };
  }
  if (counters.own !== null) return ownShare(counters, counters.own, before);
  const used = usageSinceTotals(counters, before);
  if (before.last === null) {
    // The first run, or the first known one: a fork starts with its parent's usage.
    const all = sumUsage(counters.models);
    const isMainOnly =
      hasSideRequests(facts) || isEmptyUsage(main.usage) || isEmptyUsage(all) || isOnlyMainUsage(all, main);
    // Totals that do not say what they cover show nothing of an earlier run.
    if (isMainOnly) {
      return { scope, cost: reportedCost(used.usd), models: used.models, began: 'known', lost: [] };
    }
    return { scope, ...part(used, main, facts, prices), began: 'ahead', lost: [] };
  }
  const own = addUsage(main.usage, sumUsage(sideModels(facts)));
  const lost = runsOutsideOf(subtractUsage(sumUsage(used.models), own), before.unreported);
  if (lost.length < before.unreported.length)
    return { scope, ...part(used, main, facts, prices), began: 'ahead', lost };
  return { scope, cost: reportedCost(used.usd), models: used.models, began: 'known', lost };
}

function ownShare(counters: Counters, own: NonNullable<Counters['own']>, before: PreviousCounters): Share {
  const start = isSameUsd(counters.usd, own.usd) ? 0 : subtractUsd(counters.usd, own.usd);
  const known = before.counters?.usd ?? 0;
  const began = isSameUsd(start, known) ? 'known' : start > known ? 'ahead' : 'apart';
  const unexplainedUsage = sumUsage(subtractModels(usageSinceTotals(counters, before).models, own.models));
  return {
    scope: 'session',
    // The total itself if all of it is this run's: a sum of its parts could differ in the last digit.
    cost: reportedCost(start === 0 ? counters.usd : own.usd),
    models: own.models,
    began,
    lost: began === 'ahead' ? runsOutsideOf(unexplainedUsage, before.unreported) : before.unreported,
  };
}

/** The increase over the last printed totals. */
export function usageSinceTotals(counters: Counters, before: PreviousCounters): RunShare {
  return {
    usd: subtractUsd(counters.usd, before.counters?.usd ?? 0),
    models: subtractModels(counters.models, before.counters?.models ?? []),
  };
}

/** The maximum number of runs for which every combination is tried. */
const maxCombined = 12;

/**
 * The runs whose usage is not in `unexplainedUsage`: all except those whose sum is exactly that, if any; otherwise those that do
 * not fit into it, newest first.
 */
function runsOutsideOf(unexplainedUsage: TokenUsage, runs: readonly ResultMetadata[]): ResultMetadata[] {
  const exact = runs.length <= maxCombined ? findRunsAddingUpTo(unexplainedUsage, runs) : null;
  if (exact !== null) return runs.filter((run) => !exact.has(run));
  let remaining = unexplainedUsage;
  return runs.toReversed().filter(({ usage }) => {
    if (isEmptyUsage(usage) || !isAtLeast(remaining, usage)) return true;
    remaining = subtractUsage(remaining, usage);
    return false;
  });
}

function findRunsAddingUpTo(usage: TokenUsage, runs: readonly ResultMetadata[]): ReadonlySet<ResultMetadata> | null {
  const [first, ...others] = runs;
  if (first === undefined) return areSameTokens(usage, {}) ? new Set() : null;
  if (!isEmptyUsage(first.usage) && isAtLeast(usage, first.usage)) {
    const rest = findRunsAddingUpTo(subtractUsage(usage, first.usage), others);
    if (rest !== null) return new Set([first, ...rest]);
  }
  return findRunsAddingUpTo(usage, others);
}

/** Usage of subagents' messages, by model. */
function sideModels(facts: RunFacts): ModelUsage[] {
  const side = facts.messages.filter(({ parentCallId }) => parentCallId !== null);
  return modelsOfMessages(side, facts.model);
}

export interface RunShare {
  readonly usd: number;
  readonly models: readonly ModelUsage[];
}

interface Part {
  readonly cost: Cost;
  readonly models: readonly ModelUsage[];
}

/**
 * This run's share of `used`: of the main conversation and of its subagents' messages. Exact if it is the same fraction
 * of all kinds of tokens; else by the price table, if that matches the agent's figure for the whole; else unknown.
 */
function part(used: RunShare, main: MainUsage, facts: RunFacts, prices: PriceTable): Part {
  const name = main.model ?? (used.models.length === 1 ? mainModel(used.models) : null);
  const own = addModels([{ model: name ?? unknownModel, ...main.usage }], sideModels(facts)).filter(
    (model) => !isEmptyUsage(model),
  );
  if (own.length === 0) return { cost: hasSideRequests(facts) ? unknownCost(unreported) : reportedCost(0), models: [] };
  const parts = own.map((model) => partOfModel(model, used, prices));
  const models = parts.map(({ models: [model] }, at) => model ?? own[at]).filter((model) => model !== undefined);
  const cost = parts.map((partOfCost) => partOfCost.cost).reduce(addCosts);
  return { cost: cost.provenance === 'estimated' ? asLowerBound(cost, facts) : cost, models };
}

/** Often only the initial tokens of a subagent's message are known. */
function asLowerBound(cost: Cost & { readonly provenance: 'estimated' }, { messages }: RunFacts): Cost {
  if (messages.every(({ parentCallId, settled }) => parentCallId === null || settled)) return cost;
  const reason = joinReasons([
    cost.reason,
    'The agent did not report all output of its subagents, so this is a minimum.',
  ]);
  return { ...cost, ...(reason !== undefined && { reason }) };
}

function partOfModel(own: ModelUsage, used: RunShare, prices: PriceTable): Part {
  const named = used.models.find(({ model }) => plainModel(model) === plainModel(own.model));
  const whole = named ?? (used.models.length === 1 ? used.models[0] : undefined);
  if (whole?.usd === undefined) return { cost: unknownCost(unreported), models: [own] };
  const models = (usd: number): ModelUsage[] => [{ ...own, model: whole.model, usd }];
  const fraction = fractionOf(own, whole);
  if (fraction !== null) {
    const usd = fraction === 1 ? whole.usd : scaleUsd(whole.usd, fraction);
    return { cost: reportedCost(usd), models: models(usd) };
  }
  const price = findPrice(prices, whole.model);
  if (price === undefined || !isSameUsd(priceOf(whole, price), whole.usd)) {
    return { cost: unknownCost(unreported), models: [{ ...own, model: whole.model }] };
  }
  // An agent that does not count hourly writes separately does not price them separately.
  const { cacheWrite1h, ...others } = own;
  const counted = whole.cacheWrite1h === undefined || cacheWrite1h === undefined ? others : { ...others, cacheWrite1h };
  const usd = priceOf(counted, price);
  return { cost: { provenance: 'estimated', usd, priceTable: priceTableRef(prices) }, models: models(usd) };
}

const unreported = "The agent's total covers the whole session, and it is unknown how much of it earlier runs used.";

/** The fraction of `whole`, if it is the same for every kind. */
function fractionOf(usage: TokenUsage, whole: TokenUsage): number | null {
  let fraction: number | null = null;
  const kinds = whole.cacheWrite1h === undefined ? paidKinds : ([...paidKinds, 'cacheWrite1h'] as const);
  for (const kind of kinds) {
    const all = whole[kind] ?? 0;
    const own = usage[kind] ?? 0;
    if (all === 0 && own === 0) continue;
    if (own > all || (fraction !== null && Math.abs(own / all - fraction) > 1e-12)) return null;
    fraction = own / all;
  }
  return fraction;
}

function reportedCost(usd: number): Cost {
  return { provenance: 'reported', usd };
}
