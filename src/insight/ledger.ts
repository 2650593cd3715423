import type { ExitInfo, RunFacts } from '../model/facts.ts';
import type { ResultMetadata, RunResult } from '../model/result.ts';
import { addUsage, type Cost, type ModelUsage, type TokenUsage } from '../model/usage.ts';
import { beforeOf, countersOf, type Before, type Counters } from './counters.ts';
import { addModels, mainModel, mainUsage, modelsOfMessages, sumUsage } from './modelUsage.ts';
import { addCosts, addUsd, sameUsd, unknownCost, usdOf } from './money.ts';
import { findPrice, isEmptyUsage, priceOf, priceTableRef, type PriceTable } from './prices.ts';
import { onTop, shareOf, type Share } from './share.ts';
import { turnsOf } from './turns.ts';
import { verdictOf } from './verdict.ts';

export interface LedgerOptions {
  readonly prices: PriceTable;
  /** Version of the program, for where its output does not say. */
  readonly agentVersion?: string | null;
}

/** Money and tokens of a run and of its session so far; how each is known is part of it. */
export interface Figures {
  readonly cost: Cost;
  readonly totalCost: Cost;
  readonly usage: TokenUsage;
  readonly totalUsage: TokenUsage;
  readonly models: readonly ModelUsage[];
  readonly totalModels: readonly ModelUsage[];
}

/**
 * What a run that has ended came to. `previous`: the results of the session's earlier runs, oldest first. `stdout`,
 * `stderr` and `events` are left to the caller.
 */
export function runResult(
  facts: RunFacts,
  exit: ExitInfo,
  previous: readonly ResultMetadata[],
  options: LedgerOptions,
): RunResult {
  const { endReason, error } = verdictOf(facts, exit);
  const success = error === undefined;
  const data = success ? answerOf(facts) : undefined;
  return {
    success,
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
    ...(facts.warnings.length > 0 && { warnings: [...facts.warnings] }),
    metadata: metadataOf(facts, exit, previous, options, endReason),
  };
}

/**
 * Figures of a run that is still going on. Tokens of a message that still streams are those it began with, so both the
 * tokens and the estimate grow.
 */
export function estimate(facts: RunFacts, previous: readonly ResultMetadata[], options: LedgerOptions): Figures {
  const before = beforeOf(previous);
  const counters = countersOf(facts.reports);
  if (counters !== null) return reportedFigures(facts, counters, before, options).figures;
  return estimatedFigures(facts, before, options.prices, facts.messages.length === 0 ? 'nothing' : 'messages');
}

/** The last message whole: a closing line's text is only its last part. */
function answerOf(facts: RunFacts): string | undefined {
  if (facts.finalText !== '') return facts.finalText;
  return facts.reports.at(-1)?.text ?? undefined;
}

function metadataOf(
  facts: RunFacts,
  exit: ExitInfo,
  previous: readonly ResultMetadata[],
  options: LedgerOptions,
  endReason: string,
): ResultMetadata {
  const before = beforeOf(previous);
  const counters = countersOf(facts.reports);
  const { figures, share } =
    counters === null
      ? { figures: estimatedFigures(facts, before, options.prices, 'unreported'), share: null }
      : reportedFigures(facts, counters, before, options);
  const turns = turnsOf(facts, previous, options.agentVersion ?? null);
  const last = facts.reports.at(-1);
  const first = previous[0];
  const durations = facts.reports.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  const sessionId = facts.sessionIds.at(-1) ?? previous.at(-1)?.sessionId ?? null;
  return {
    sessionId,
    originalSessionId: first?.originalSessionId ?? first?.sessionId ?? facts.sessionIds[0] ?? null,
    model: facts.model ?? mainModel(figures.models),
    cost: usdOf(figures.cost),
    totalCost: usdOf(figures.totalCost),
    turns: turns.session,
    runTurns: turns.run,
    duration: durations.length === 0 ? null : durations.reduce((sum, each) => sum + each, 0),
    apiDuration: apiDurationOf(counters, share, before),
    isMaxTurns: last?.subtype === 'error_max_turns',
    isMaxBudget: last?.subtype === 'error_max_budget_usd',
    costProvenance: figures.cost,
    totalCostProvenance: figures.totalCost,
    usage: figures.usage,
    totalUsage: figures.totalUsage,
    models: [...figures.models],
    totalModels: [...figures.totalModels],
    counters: countersForNext(counters, share, before, turns),
    exitCode: exit.code,
    signal: exit.signal,
    endReason,
    lines: { ...facts.lines },
  };
}

/** Time in the API is counted on over resumes where the totals are. */
function apiDurationOf(counters: Counters | null, share: Share | null, before: Before): number | null {
  if (counters === null || share === null || counters.apiDuration === null) return null;
  if (share.scope === 'run') return counters.apiDuration;
  if (share.began === 'ahead') return null;
  const last = share.began === 'known' ? (before.counters?.apiDuration ?? 0) : 0;
  return counters.apiDuration < last ? null : counters.apiDuration - last;
}

function countersForNext(
  counters: Counters | null,
  share: Share | null,
  before: Before,
  turns: ReturnType<typeof turnsOf>,
): ResultMetadata['counters'] {
  if (counters === null || share === null) return null;
  // A run that failed before it used anything prints zeros, and the totals go on from where they were.
  const kept = counters.usd === 0 && before.atCounters !== null ? before.atCounters.counters : null;
  if (kept !== null) return kept;
  return {
    scope: share.scope,
    usd: counters.usd,
    turns: turns.printed,
    turnsScope: turns.scope,
    apiDuration: counters.apiDuration,
    models: [...counters.models],
  };
}

function reportedFigures(
  facts: RunFacts,
  counters: Counters,
  before: Before,
  options: LedgerOptions,
): { figures: Figures; share: Share } {
  const { prices, agentVersion = null } = options;
  const share = shareOf(facts, counters, before, { prices, agentVersion });
  const models = share.models.length > 0 ? share.models : unpricedModels(facts);
  const usage = sumUsage(models);
  const total = totalOf(share, counters, before, models);
  return {
    share,
    figures: {
      cost: share.cost,
      totalCost: neverLess(total.cost, before),
      usage,
      totalUsage: sumUsage(total.models),
      models,
      totalModels: total.models,
    },
  };
}

/** The session so far: the agent's own total where it has one that holds everything, else ours and what came on top. */
function totalOf(
  share: Share,
  counters: Counters,
  before: Before,
  models: readonly ModelUsage[],
): { cost: Cost; models: readonly ModelUsage[] } {
  const { last, atCounters } = before;
  if (share.scope === 'run' || share.began === 'apart') {
    if (last === null) return { cost: share.cost, models };
    return { cost: addCosts(last.totalCostProvenance, share.cost), models: addModels(last.totalModels, models) };
  }
  const printed: Cost = { provenance: 'reported', usd: counters.usd };
  const came = onTop(counters, before);
  const known: Cost = atCounters?.totalCostProvenance ?? { provenance: 'reported', usd: 0 };
  const counted = known.provenance === 'reported' && sameUsd(known.usd, before.counters?.usd ?? 0);
  const parts = share.lost.map(({ costProvenance }) => costProvenance);
  const cost = parts.reduce(addCosts, counted ? printed : addCosts(known, { provenance: 'reported', usd: came.usd }));
  return {
    // A total that leaves something out which nobody can price is still what the agent says.
    cost: cost.provenance === 'unknown' ? printed : cost,
    models: [came.models, ...share.lost.map((run) => run.models)].reduce(addModels, atCounters?.totalModels ?? []),
  };
}

/** An estimate of an earlier run can turn out too high; the session's total stays where it was until it is reached. */
function neverLess(total: Cost, { last }: Before): Cost {
  const before = last?.totalCostProvenance;
  if (before === undefined || before.provenance === 'unknown' || total.provenance === 'unknown') return total;
  return total.usd < before.usd ? before : total;
}

/** Where the agent prints a cost but not what it is for. */
function unpricedModels(facts: RunFacts): ModelUsage[] {
  const main = mainUsage(facts);
  const main1 = isEmptyUsage(main.usage) ? [] : [{ model: main.model ?? facts.model ?? 'unknown', ...main.usage }];
  const others = facts.messages.filter(({ parentCallId }) => parentCallId !== null);
  return addModels(main1, modelsOfMessages(others, facts.model));
}

function estimatedFigures(
  facts: RunFacts,
  before: Before,
  prices: PriceTable,
  kind: 'nothing' | 'messages' | 'unreported',
): Figures {
  const models = modelsOfMessages(facts.messages, facts.model);
  const usage = sumUsage(models);
  const cost =
    kind === 'unreported' && facts.messages.length === 0
      ? unknownCost('The agent printed no cost.')
      : estimateCost(facts, prices);
  const { last } = before;
  return {
    cost,
    totalCost: last === null ? cost : totalWith(last, cost, facts),
    usage,
    totalUsage: last === null ? usage : addUsage(last.totalUsage, usage),
    models,
    totalModels: last === null ? models : addModels(last.totalModels, models),
  };
}

/** A run that never began adds nothing to what the session has cost. */
function totalWith(last: ResultMetadata, cost: Cost, facts: RunFacts): Cost {
  const began = facts.lines.total > 0;
  return began ? addCosts(last.totalCostProvenance, cost) : last.totalCostProvenance;
}

/** By the price table, message by message; one model without a price makes the whole unknown. */
function estimateCost(facts: RunFacts, prices: PriceTable): Cost {
  let usd = 0;
  for (const message of facts.messages) {
    if (isEmptyUsage(message.usage)) continue;
    const model = message.model ?? facts.model;
    if (model === null) return unknownCost('The agent did not say which model it used.');
    const price = findPrice(prices, model);
    if (price === undefined) return unknownCost(`No price is known for the model ${model}.`);
    usd = addUsd(usd, priceOf(message.usage, price));
  }
  return { provenance: 'estimated', usd, priceTable: priceTableRef(prices) };
}
