import { tokenKinds } from '../../model/usage/tokenKinds.ts';
import type { MessageUsage } from '../../model/usage/facts.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import {
  addUsage,
  totalTokens,
  type Cost,
  type CostSum,
  type ModelUsage,
  type TokenUsage,
} from '../../model/usage/usage.ts';
import { addCost, noCosts, addUsd, joinReasons, isSameUsd, subtractUsd, unknownCost } from '../ledger/money.ts';
import { sumUsage, unknownModel } from '../ledger/modelUsage.ts';
import {
  findPrice,
  isEmptyUsage,
  priceOfRequest,
  priceTableRef,
  missingRateReasons,
  type PriceTable,
} from '../prices/prices.ts';

/** Usage of one run, for totals by day, agent and model. */
export interface RunSpending {
  readonly sessionId: string;
  /** `null`: older runs of the session, known only as the rest of its total. */
  readonly runId: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly agent: string;
  readonly cost: Cost;
  /** Empty if not recorded. */
  readonly models: readonly ModelUsage[];
}

interface SummaryRun {
  readonly run_id: string;
  readonly started_at: string;
  readonly completed_at?: string | undefined;
  readonly cost: Cost;
  readonly models?: readonly ModelUsage[] | undefined;
}

/**
 * The runs of a session, each on the day on which it ended. The rest of the session's total (`omitted` runs, or all if its
 * summary lists none) is on the day on which the session was created.
 */
export function spendingOfSession(summary: SessionSummary, runs: readonly SummaryRun[], omitted = 0): RunSpending[] {
  const base = { sessionId: summary.session_id, agent: summary.agent_label };
  const [only] = runs;
  const known = runs.map((run): RunSpending => ({
    ...base,
    runId: run.run_id,
    at: run.completed_at ?? run.started_at,
    cost: run.cost,
    // The only run used everything that the session used.
    models: run.models ?? (only === run && omitted === 0 && runs.length === 1 ? usageOfSession(summary) : []),
  }));
  if (omitted === 0 && only !== undefined) return known;
  const total = summary.total_cost;
  const sum = runs.reduce((usd, { cost }) => (cost.provenance === 'unknown' ? usd : addUsd(usd, cost.usd)), 0);
  const rest: Cost = total.provenance === 'unknown' ? total : { ...total, usd: subtractUsd(total.usd, sum) };
  const models = only === undefined ? usageOfSession(summary) : [];
  return [{ ...base, runId: null, at: summary.created_at, cost: rest, models }, ...known];
}

function usageOfSession({ model, total_usage: usage }: SessionSummary): ModelUsage[] {
  return model === null && Object.keys(usage).length === 0 ? [] : [{ model: model ?? unknownModel, ...usage }];
}

/** A sum of money over runs. */
export interface Group extends CostSum {
  readonly key: string;
  readonly runs: number;
  readonly sessions: number;
  readonly usage: TokenUsage;
  /** Tokens of runs with unknown cost. */
  readonly unknownUsage: TokenUsage;
}

export type GroupBy = 'day' | 'month' | 'agent' | 'model';

export function emptyGroup(key: string): Group {
  return { key, ...noCosts, runs: 0, sessions: 0, usage: {}, unknownUsage: {} };
}

/**
 * `dayOf` returns the reader's calendar day (`2026-11-21`) of a time. Days and months ascend; other groups are sorted by
 * cost, highest first.
 */
export function groupSpent(all: readonly RunSpending[], by: GroupBy, dayOf: (at: string) => string): Group[] {
  const groups = new Map<string, { group: Group; sessions: Set<string>; runs: Set<string> }>();
  for (const spent of all) {
    for (const { key, cost, usage } of partsOf(spent, by, dayOf)) {
      let entry = groups.get(key);
      if (entry === undefined) {
        const group = emptyGroup(key);
        groups.set(key, (entry = { group, sessions: new Set(), runs: new Set() }));
      }
      entry.sessions.add(spent.sessionId);
      entry.runs.add(spent.runId ?? spent.sessionId);
      const { group } = entry;
      entry.group = {
        key,
        ...addCost(group, cost),
        runs: entry.runs.size,
        sessions: entry.sessions.size,
        usage: addUsage(group.usage, usage),
        unknownUsage: cost.provenance === 'unknown' ? addUsage(group.unknownUsage, usage) : group.unknownUsage,
      };
    }
  }
  const sorted = [...groups.values()].map(({ group }) => group);
  if (by === 'day' || by === 'month') return sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || totalTokens(b.usage) - totalTokens(a.usage));
}

interface Part {
  readonly key: string;
  readonly cost: Cost;
  readonly usage: TokenUsage;
}

function partsOf(spent: RunSpending, by: GroupBy, dayOf: (at: string) => string): Part[] {
  const { agent, at, cost, models } = spent;
  if (by === 'model') return modelParts(cost, models).map(({ model, ...part }) => ({ key: model, ...part }));
  const key = by === 'agent' ? agent : by === 'day' ? dayOf(at) : dayOf(at).slice(0, 7);
  return [{ key, cost, usage: sumUsage(models) }];
}

export interface ModelPart {
  readonly model: string;
  readonly cost: Cost;
  readonly usage: TokenUsage;
}

/** A run by model. If the cost of each model is unknown, each of them says so. */
export function modelParts(cost: Cost, models: readonly ModelUsage[]): ModelPart[] {
  const [first, ...others] = models;
  if (first === undefined) return [{ model: unknownModel, cost, usage: {} }];
  if (others.length === 0) return [{ model: first.model, cost, usage: usageOf(first) }];
  const sum = models.reduce((usd, model) => addUsd(usd, model.usd ?? 0), 0);
  const reported =
    cost.provenance !== 'unknown' && models.every(({ usd }) => usd !== undefined) && isSameUsd(sum, cost.usd);
  return models.map((model) => ({
    model: model.model,
    cost: reported ? { ...cost, usd: model.usd ?? 0 } : unknownCost(notDivided),
    usage: usageOf(model),
  }));
}

const notDivided = 'The record does not say what each model cost in this run.';

function usageOf(all: ModelUsage): TokenUsage {
  const usage: TokenUsage = {};
  for (const kind of tokenKinds) if (all[kind] !== undefined) usage[kind] = all[kind];
  return usage;
}

export interface MessageCost {
  readonly messageId: string;
  readonly model: string | null;
  readonly usage: TokenUsage;
  readonly parentCallId: string | null;
  /** Always from the price table: no agent prints the cost of a response. */
  readonly cost: Cost;
  /** False while its tokens are only a placeholder: then tokens and cost are too low. */
  readonly settled: boolean;
}

/** Cost of each model response; `fallback` is the session's model, for responses that name none. */
export function messageCosts(
  messages: readonly MessageUsage[],
  prices: PriceTable,
  fallback: string | null,
): MessageCost[] {
  return messages.map(({ messageId, model, usage, parentCallId, settled, terms }) => ({
    messageId,
    model: model ?? fallback,
    usage,
    parentCallId,
    settled,
    cost: costOfMessage({ usage, terms }, model ?? fallback, prices),
  }));
}

function costOfMessage(
  { usage, terms }: Pick<MessageUsage, 'usage' | 'terms'>,
  model: string | null,
  prices: PriceTable,
): Cost {
  if (isEmptyUsage(usage)) return unknownCost('The agent did not report the usage of this message.');
  if (model === null) return unknownCost('The agent did not report its model.');
  const price = findPrice(prices, model);
  if (price === undefined) return unknownCost(`No price is known for the model ${model}.`);
  const usd = priceOfRequest(usage, price, terms);
  const reason = joinReasons(missingRateReasons(usage, price, terms));
  return { provenance: 'estimated', usd, priceTable: priceTableRef(prices), ...(reason !== undefined && { reason }) };
}
