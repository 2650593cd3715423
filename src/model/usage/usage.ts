import * as z from 'zod';
import { tokenKinds } from './tokenKinds.ts';

const tokens = z.number().int().nonnegative();

/**
 * Tokens by kind. `input` excludes cache reads and writes; `cacheWrite1h` is the part of `cacheWrite` that is stored for an
 * hour. An absent kind was not reported.
 */
export const tokenUsageSchema = z.object({
  input: tokens.optional(),
  output: tokens.optional(),
  cacheRead: tokens.optional(),
  cacheWrite: tokens.optional(),
  cacheWrite1h: tokens.optional(),
  reasoning: tokens.optional(),
  webSearches: tokens.optional(),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** Source of a price and its date. */
export const priceTableRefSchema = z.object({ name: z.string(), date: z.string() });
export type PriceTableRef = z.infer<typeof priceTableRefSchema>;

/** An amount of money with its provenance. Unknown is never 0: `usd` is absent. */
export const costSchema = z.discriminatedUnion('provenance', [
  z.object({ provenance: z.literal('reported'), usd: z.number().nonnegative() }),
  z.object({
    provenance: z.literal('estimated'),
    usd: z.number().nonnegative(),
    priceTable: priceTableRefSchema,
    /** What an estimate assumes besides the prices: a sentence. */
    reason: z.string().optional(),
  }),
  z.object({ provenance: z.literal('unknown'), reason: z.string() }),
]);
export type Cost = z.infer<typeof costSchema>;

/** A total of costs that says what it includes. */
export interface CostSum {
  /** The known part; `null` if nothing is known. */
  readonly usd: number | null;
  /** The estimated part. */
  readonly estimatedUsd: number;
  /** Number of unknown costs, which are not included. */
  readonly unknown: number;
}

/** Usage and cost of one model. */
export const modelUsageSchema = tokenUsageSchema.extend({
  model: z.string(),
  usd: z.number().nonnegative().optional(),
  contextWindow: tokens.optional(),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Adds kind by kind; a kind absent on both sides stays absent. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return combine(a, b, (x, y) => x + y);
}

/** Subtracts `b` from `a` kind by kind, never below 0. */
export function subtractUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return combine(a, b, (x, y) => Math.max(0, x - y));
}

function combine(a: TokenUsage, b: TokenUsage, f: (x: number, y: number) => number): TokenUsage {
  const sum: TokenUsage = {};
  for (const kind of tokenKinds) {
    const x = a[kind];
    const y = b[kind];
    if (x !== undefined || y !== undefined) sum[kind] = f(x ?? 0, y ?? 0);
  }
  return sum;
}

/** All tokens of the model: input, output and cache. Reasoning is part of output. */
export function totalTokens(usage: TokenUsage): number {
  return (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}
