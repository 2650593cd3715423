import type { RunFacts } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import { addUsage, type Cost, type ModelUsage, type TokenUsage } from '../../model/usage/usage.ts';
import { askedModelOf, type AskedModel } from '../session/askedModel.ts';
import { previousCounters, countersOf, type PreviousCounters, type Counters, type Totals } from './counters.ts';
import { addModels, mainUsage, modelsOfMessages, sumUsage, unknownModel } from './modelUsage.ts';
import { addCosts, addUsd, cleanUsd, joinReasons, isSameUsd, subtractUsd, unknownCost } from './money.ts';
import {
  findPrice,
  isEmptyUsage,
  longContextReason,
  priceOf,
  priceOfRequest,
  priceTableRef,
  missingRateReasons,
  type ModelPrice,
  type PriceTable,
} from '../prices/prices.ts';
import { usageSinceTotals, shareOf, type Share } from '../usage/share.ts';
import { apiTimeOf, tokenTotalsOf } from './tokenTotals.ts';

export interface LedgerOptions {
  readonly prices: PriceTable;
  /** Version of the program, if its output does not say. */
  readonly agentVersion?: string | null;
  /** The model that a person chose, for output that names none. */
  readonly askedModel?: string | null;
}

/** Money and tokens of a run and of its session so far, with their provenance. */
export interface Figures {
  readonly cost: Cost;
  readonly totalCost: Cost;
  readonly usage: TokenUsage;
  readonly totalUsage: TokenUsage;
  readonly models: readonly ModelUsage[];
  readonly totalModels: readonly ModelUsage[];
}

/** Figures of a run, and the agent's totals as baseline for the next run. */
export interface Outcome {
  readonly figures: Figures;
  readonly apiDuration: number | null;
  readonly totals: Totals | null;
}

/**
 * Uses the best printed source: costs, else tokens of closing lines, else the usage of single messages. `over`: the run has
 * ended.
 */
export function outcomeOf(
  facts: RunFacts,
  previous: readonly ResultMetadata[],
  options: LedgerOptions,
  over: boolean,
): Outcome {
  const before = previousCounters(previous);
  if (facts.sessionUsd !== undefined || facts.reports.some(({ usdCover }) => usdCover === 'session'))
    return sessionCostOutcome(facts, previous, before, options);
  const counters = countersOf(facts.reports);
  const tokens = tokenTotalsOf(facts, previous, options.agentVersion ?? null);
  const pricing = { prices: options.prices, asked: askedModelOf(options.askedModel, previous) };
  if (counters !== null) {
    const reported = withRunCost(reportedOutcome(facts, counters, before, options), facts, before);
    const since = facts.messages.slice(facts.reports.at(-1)?.itemized ?? facts.messages.length);
    return withMessages(reported, { ...facts, messages: since }, pricing, over);
  }
  if (tokens === null) {
    const figures = estimatedFigures(facts, before, pricing, over);
    return { figures, ...apiTimeOf(facts, previous) };
  }
  const cost = tokens.missing === undefined ? estimateModels(tokens.own, pricing) : unknownCost(tokens.missing);
  return {
    figures: withSession(tokens.own, cost, before, facts),
    apiDuration: tokens.apiDuration,
    totals: tokens.totals,
  };
}

/** Includes messages that no closing line covers: of an active turn, or interrupted. */
function withMessages(outcome: Outcome, facts: RunFacts, pricing: Pricing, over: boolean): Outcome {
  if (facts.messages.length === 0) return outcome;
  const estimate = estimateMessages(facts, pricing);
  const cost = over ? withoutUnreportedCost(estimate, facts) : estimate;
  const models = modelsOfMessages(facts.messages, facts.model);
  const usage = sumUsage(models);
  const { figures } = outcome;
  return {
    ...outcome,
    figures: {
      cost: addCosts(figures.cost, cost),
      totalCost: addCosts(figures.totalCost, cost),
      usage: addUsage(figures.usage, usage),
      totalUsage: addUsage(figures.totalUsage, usage),
      models: addModels(figures.models, models),
      totalModels: addModels(figures.totalModels, models),
    },
  };
}

/** If the agent prints both, the costs of run and session are as printed. */
function withRunCost(outcome: Outcome, { reports }: RunFacts, before: PreviousCounters): Outcome {
  const last = reports.at(-1);
  if (last?.runUsd === undefined || last.usd === null) return outcome;
  const usd = reports.reduce((sum, { runUsd = 0 }) => addUsd(sum, runUsd), 0);
  // A total of this run alone is taken from the counters; it cannot be derived from a larger one.
  if (isSameUsd(usd, last.usd) || usd > last.usd) return outcome;
  const totalCost = keepAtLeastLast({ provenance: 'reported', usd: last.usd }, before);
  return { ...outcome, figures: { ...outcome.figures, cost: { provenance: 'reported', usd }, totalCost } };
}

/** The protocol defines the cost as the session's; the tokens are the run's. */
function sessionCostOutcome(
  facts: RunFacts,
  previous: readonly ResultMetadata[],
  before: PreviousCounters,
  { agentVersion = null }: LedgerOptions,
): Outcome {
  const usd = facts.sessionUsd ?? facts.reports.findLast((report) => report.usd !== null)?.usd ?? 0;
  const start = before.counters?.usd ?? 0;
  const again = usd < start && !isSameUsd(usd, start);
  // This total includes the usage of earlier runs that ended without one.
  const cost: Cost =
    before.unreported.length > 0
      ? unknownCost('The agent reports the cost of the session, but an earlier run ended without reporting it.')
      : { provenance: 'reported', usd: again ? usd : subtractUsd(usd, start) };
  const tokens = tokenTotalsOf(facts, previous, agentVersion);
  const figures = withSession(tokens?.own ?? [], cost, before, facts);
  const total: Cost = again ? figures.totalCost : { provenance: 'reported', usd };
  return {
    figures: { ...figures, totalCost: keepAtLeastLast(total, before) },
    apiDuration: null,
    totals: { scope: 'session', usd, models: tokens?.totals.models ?? [], apiDuration: null },
  };
}

function reportedOutcome(
  facts: RunFacts,
  counters: Counters,
  before: PreviousCounters,
  options: LedgerOptions,
): Outcome {
  const { prices, agentVersion = null } = options;
  const share = shareOf(facts, counters, before, { prices, agentVersion });
  const models = share.models.length > 0 ? share.models : unpricedModels(facts);
  const total = totalOf(share, counters, before, models);
  return {
    figures: {
      cost: share.cost,
      totalCost: keepAtLeastLast(total.cost, before),
      usage: sumUsage(models),
      totalUsage: sumUsage(total.models),
      models,
      totalModels: total.models,
    },
    apiDuration: apiDurationOf(counters, share, before),
    // A run that failed before using anything prints zeros; the totals continue from their earlier values.
    totals: (counters.usd === 0 ? before.counters : null) ?? { ...counters, scope: share.scope },
  };
}

/** API time accumulates over resumes if the totals do. */
function apiDurationOf(counters: Counters, share: Share, before: PreviousCounters): number | null {
  if (counters.apiDuration === null || share.scope === 'run') return counters.apiDuration;
  if (share.began === 'ahead') return null;
  const last = share.began === 'known' ? (before.counters?.apiDuration ?? 0) : 0;
  return counters.apiDuration < last ? null : counters.apiDuration - last;
}

/** The session so far: the agent's own total if it covers everything, else our total plus the increase. */
function totalOf(
  share: Share,
  counters: Counters,
  before: PreviousCounters,
  models: readonly ModelUsage[],
): { cost: Cost; models: readonly ModelUsage[] } {
  const { last, resultAtCounters } = before;
  if (share.scope === 'run' || share.began === 'apart') {
    if (last === null) return { cost: share.cost, models };
    return { cost: addCosts(last.totalCostProvenance, share.cost), models: addModels(last.totalModels, models) };
  }
  const printed: Cost = { provenance: 'reported', usd: counters.usd };
  const increase = usageSinceTotals(counters, before);
  const known: Cost = resultAtCounters?.totalCostProvenance ?? { provenance: 'reported', usd: 0 };
  const counted = known.provenance === 'reported' && isSameUsd(known.usd, before.counters?.usd ?? 0);
  const parts = share.lost.map(({ costProvenance }) => costProvenance);
  const cost = parts.reduce(
    addCosts,
    counted ? printed : addCosts(known, { provenance: 'reported', usd: increase.usd }),
  );
  return {
    // A total that omits something without a price is still what the agent reports.
    cost: cost.provenance === 'unknown' ? printed : cost,
    models: [increase.models, ...share.lost.map((run) => run.models)].reduce(
      addModels,
      resultAtCounters?.totalModels ?? [],
    ),
  };
}

/** An earlier estimate can be too high; the session's total then stays until the real cost reaches it. */
function keepAtLeastLast(total: Cost, { last }: PreviousCounters): Cost {
  const before = last?.totalCostProvenance;
  if (before === undefined || before.provenance === 'unknown' || total.provenance === 'unknown') return total;
  return total.usd < before.usd ? before : total;
}

/** Used if the agent prints a cost but not what it covers. */
function unpricedModels(facts: RunFacts): ModelUsage[] {
  const main = mainUsage(facts);
  const main1 = isEmptyUsage(main.usage) ? [] : [{ model: main.model ?? facts.model ?? unknownModel, ...main.usage }];
  const others = facts.messages.filter(({ parentCallId }) => parentCallId !== null);
  return addModels(main1, modelsOfMessages(others, facts.model));
}

function estimatedFigures(facts: RunFacts, before: PreviousCounters, pricing: Pricing, over: boolean): Figures {
  const models = modelsOfMessages(facts.messages, facts.model);
  // A message with only zero tokens was not counted by the agent.
  if (facts.messages.some(({ usage }) => !isEmptyUsage(usage))) {
    const estimate = estimateMessages(facts, pricing);
    return withSession(models, over ? withoutUnreportedCost(estimate, facts) : estimate, before, facts);
  }
  const cost = unknownCost(over ? unreportedCostReason(facts) : 'The agent has not reported its usage yet.');
  const figures = withSession(models, cost, before, facts);
  // Before any output, the session's cost is the earlier one.
  return over || before.last === null ? figures : { ...figures, totalCost: before.last.totalCostProvenance };
}

const unsaid = 'The agent did not report its usage.';

function unreportedCostReason({ otherCurrency, messages }: RunFacts): string {
  if (otherCurrency === undefined) return messages.length > 0 ? unsaid : 'The agent did not report a cost.';
  return `The agent reported its cost in ${otherCurrency}, but Vitrine counts US dollars.`;
}

interface Pricing {
  readonly prices: PriceTable;
  readonly asked: AskedModel;
}

/** The session's earlier figures plus this run's. */
function withSession(models: readonly ModelUsage[], cost: Cost, { last }: PreviousCounters, facts: RunFacts): Figures {
  const usage = sumUsage(models);
  if (last === null) return { cost, totalCost: cost, usage, totalUsage: usage, models, totalModels: models };
  // A run that never started adds no cost.
  const began = facts.lines.total > 0;
  return {
    cost,
    totalCost: began ? addCosts(last.totalCostProvenance, cost) : last.totalCostProvenance,
    usage,
    totalUsage: addUsage(last.totalUsage, usage),
    models,
    totalModels: addModels(last.totalModels, models),
  };
}

/** By the price table, message by message; one model without a price makes the total unknown. */
function estimateMessages(facts: RunFacts, pricing: Pricing): Cost {
  const parts = facts.messages.map(({ usage, model, terms }) => ({ usage, terms, model: model ?? facts.model }));
  return estimateParts(parts, pricing, 'requests');
}

/** An interrupted message only has its initial tokens. */
function withoutUnreportedCost(cost: Cost, { messages }: RunFacts): Cost {
  if (cost.provenance !== 'estimated' || messages.every(({ settled }) => settled)) return cost;
  const reason = 'The run was interrupted. The final usage of its last messages is unknown, so it cost more than this.';
  return { ...cost, reason: joinReasons([cost.reason, reason]) ?? reason };
}

function estimateModels(models: readonly ModelUsage[], pricing: Pricing): Cost {
  const parts = models.map(({ model, ...usage }) => ({ usage, model: model === unknownModel ? null : model }));
  if (parts.length > 0 && parts.every(({ usage }) => Object.keys(usage).length === 0)) return unknownCost(unsaid);
  return estimateParts(parts, pricing, 'sums');
}

/** By the price table, request by request; one model without a price makes the total unknown. */
export function estimateRequests(requests: readonly PricedPart[], prices: PriceTable): Cost {
  return estimateParts(requests, { prices, asked: askedModelOf(null, []) }, 'requests');
}

interface PricedPart {
  readonly usage: TokenUsage;
  readonly model: string | null;
  readonly terms?: readonly string[] | undefined;
}

/** `as`: single requests, or totals of unknown requests. */
function estimateParts(parts: readonly PricedPart[], { prices, asked }: Pricing, as: 'requests' | 'sums'): Cost {
  let usd = 0;
  const reasons = new Set<string>();
  // A run has many requests of few models.
  const known = new Map<string, ModelPrice | undefined>();
  const priceFor = (model: string): ModelPrice | undefined => {
    if (!known.has(model)) known.set(model, findPrice(prices, model));
    return known.get(model);
  };
  for (const { usage, model: named, terms } of parts) {
    if (isEmptyUsage(usage)) continue;
    const model = named ?? asked.model;
    if (model === null) return unknownCost(asked.reason);
    if (named === null) reasons.add(asked.reason);
    const price = priceFor(model);
    if (price === undefined) return unknownCost(`No price is known for the model ${model}.`);
    usd += as === 'sums' ? priceOf(usage, price) : priceOfRequest(usage, price, terms);
    for (const reason of missingRateReasons(usage, price, terms)) reasons.add(reason);
    const long = as === 'sums' ? longContextReason(usage, model, price) : undefined;
    if (long !== undefined) reasons.add(long);
  }
  const reason = joinReasons([...reasons]);
  return {
    provenance: 'estimated',
    usd: cleanUsd(usd),
    priceTable: priceTableRef(prices),
    ...(reason !== undefined && { reason }),
  };
}
