import { tokenKinds } from '../../model/usage/tokenKinds.ts';
import type { MessageUsage, RunFacts } from '../../model/usage/facts.ts';
import { addUsage, subtractUsage, totalTokens, type ModelUsage, type TokenUsage } from '../../model/usage/usage.ts';
import { addUsd, subtractUsd } from './money.ts';
import { isEmptyUsage } from '../prices/prices.ts';

/** The kinds of tokens that are billed; `reasoning` is part of `output`. */
export const paidKinds = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** Adds model by model; a sum has a price only if both parts have one. */
export function addModels(a: readonly ModelUsage[], b: readonly ModelUsage[]): ModelUsage[] {
  const sums = new Map(a.map((model) => [model.model, model]));
  for (const model of b) {
    const before = sums.get(model.model);
    sums.set(model.model, before === undefined ? model : addModel(before, model));
  }
  return [...sums.values()];
}

function addModel(a: ModelUsage, b: ModelUsage): ModelUsage {
  const contextWindow = b.contextWindow ?? a.contextWindow;
  return {
    model: a.model,
    ...addUsage(a, b),
    ...(a.usd !== undefined && b.usd !== undefined && { usd: addUsd(a.usd, b.usd) }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
}

/** `a` minus `b`; models without a rest are dropped. */
export function subtractModels(a: readonly ModelUsage[], b: readonly ModelUsage[]): ModelUsage[] {
  return a.flatMap((sum) => {
    const taken = b.find(({ model }) => model === sum.model);
    if (taken === undefined) return [sum];
    const left: ModelUsage = { model: sum.model, ...subtractUsage(sum, taken) };
    if (sum.usd !== undefined && taken.usd !== undefined) left.usd = subtractUsd(sum.usd, taken.usd);
    if (sum.contextWindow !== undefined) left.contextWindow = sum.contextWindow;
    return isEmptyUsage(left) && (left.usd ?? 0) === 0 ? [] : [left];
  });
}

export function sumUsage(parts: readonly TokenUsage[]): TokenUsage {
  return parts.reduce<TokenUsage>((sum, part) => addUsage(sum, part), {});
}

/** Their total price; `null` if one has none. */
export function sumUsd(models: readonly ModelUsage[]): number | null {
  let sum = 0;
  for (const { usd } of models) {
    if (usd === undefined) return null;
    sum = addUsd(sum, usd);
  }
  return sum;
}

/** Whether `a` has at least as much of every billed kind. */
export function isAtLeast(a: TokenUsage, b: TokenUsage): boolean {
  return paidKinds.every((kind) => (a[kind] ?? 0) >= (b[kind] ?? 0));
}

export function areSameTokens(a: TokenUsage, b: TokenUsage): boolean {
  return isAtLeast(a, b) && isAtLeast(b, a);
}

/** The name without the mark of a variant (`[1m]`). */
export function plainModel(model: string): string {
  return model.replace(/\[[^\]]*\]$/, '');
}

/** Stands for a model that the agent did not name. */
export const unknownModel = 'unknown';

/** By model, from the messages; without prices. */
export function modelsOfMessages(messages: readonly MessageUsage[], fallback: string | null): ModelUsage[] {
  const sums = new Map<string, ModelUsage>();
  for (const { model, usage } of messages) {
    const name = model ?? fallback ?? unknownModel;
    const sum = sums.get(name) ?? { model: name };
    sums.set(name, sum);
    // In place: a run has thousands of messages, and is summed up several times a second.
    for (const kind of tokenKinds) {
      const tokens = usage[kind];
      if (tokens !== undefined) sum[kind] = (sum[kind] ?? 0) + tokens;
    }
  }
  return [...sums.values()];
}

/** Whether `all` is exactly the usage of the main conversation. */
export function isOnlyMainUsage(all: TokenUsage, { usage, isComplete }: MainUsage): boolean {
  if (isComplete) return areSameTokens(all, usage);
  return isAtLeast(all, usage) && areSameTokens({ ...all, output: 0 }, { ...usage, output: 0 });
}

/** The model with the most tokens; `null` if the agent did not name it. */
export function mainModel(models: readonly ModelUsage[]): string | null {
  let best: ModelUsage | undefined;
  for (const model of models) if (best === undefined || totalTokens(model) > totalTokens(best)) best = model;
  return best === undefined || best.model === unknownModel ? null : best.model;
}

/** Whether models were used outside the main conversation, so that totals can exceed its usage. */
export function hasSideRequests(facts: RunFacts): boolean {
  return facts.sideCalls > 0 || facts.reports.some(({ subagents }) => (subagents ?? 0) > 0);
}

/** Usage of the main conversation, and its model if it used only one. */
export interface MainUsage {
  readonly usage: TokenUsage;
  readonly model: string | null;
  /** `false`: includes interrupted messages, whose output is at least this. */
  readonly isComplete: boolean;
}

/** As printed beside the totals; if that is zero (a stop at the budget) or missing, the sum of the messages. */
export function mainUsage(facts: RunFacts): MainUsage {
  const messages = facts.messages.filter(({ parentCallId }) => parentCallId === null);
  const printed = sumUsage(facts.reports.flatMap(({ usage }) => (usage === null ? [] : [usage])));
  const names = new Set(messages.map(({ model }) => (model === null ? null : plainModel(model))));
  const [only] = names;
  return {
    usage: isEmptyUsage(printed) ? sumUsage(messages.map(({ usage }) => usage)) : printed,
    model: names.size === 1 ? (only ?? null) : null,
    isComplete: !isEmptyUsage(printed),
  };
}
