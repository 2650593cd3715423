import type { JsonObject } from '../../model/text/json.ts';
import { totalTokens, type TokenUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, nonEmpty } from '../shared/guards.ts';

export interface BilledUsage {
  readonly usage: TokenUsage;
  readonly usd: number | undefined;
}

interface ApiUsage {
  readonly tokensIn: number;
  readonly cacheReads: number;
  readonly cacheWrites: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly provider: string | undefined;
  readonly protocol: string | undefined;
}

/** Whether `tokensIn` includes cache reads and writes. */
export type CacheInclusionRule = (usage: ApiUsage) => boolean;

/** These providers pass on figures of OpenAI-style APIs, which count the whole prompt. */
const wholePromptProviders = new Set([
  'openai',
  'litellm',
  'doubao',
  'fireworks',
  'hicap',
  'lmstudio',
  'qwen',
  'xai',
  'zai',
]);

export const clineIncludesCache: CacheInclusionRule = ({ provider }) =>
  provider !== undefined && wholePromptProviders.has(provider);

/** Before the change, requests to Anthropic-style APIs counted only the rest of the prompt. */
export function createRooCacheRule(changedAt: number): CacheInclusionRule {
  return ({ protocol, at }) => !(protocol === 'anthropic' && at < changedAt);
}

/** The figures of a request; `undefined` if it has none. A cost of 0 means a model without a price. */
export function billedUsage(
  info: JsonObject,
  {
    includesCache,
    at,
    provider,
  }: { readonly includesCache: CacheInclusionRule; readonly at: number; readonly provider: string | undefined },
): BilledUsage | undefined {
  const tokensIn = count(info['tokensIn']) ?? 0;
  const cacheReads = count(info['cacheReads']) ?? 0;
  const cacheWrites = count(info['cacheWrites']) ?? 0;
  const cached = cacheReads + cacheWrites;
  const protocol = nonEmpty(info['apiProtocol']);
  const isWhole = tokensIn >= cached && includesCache({ tokensIn, cacheReads, cacheWrites, at, provider, protocol });
  const usage: TokenUsage = {
    input: isWhole ? tokensIn - cached : tokensIn,
    output: count(info['tokensOut']) ?? 0,
    cacheRead: cacheReads,
    cacheWrite: cacheWrites,
  };
  const cost = parseAmount(info['cost']);
  const usd = cost === 0 ? undefined : cost;
  return totalTokens(usage) === 0 && usd === undefined ? undefined : { usage, usd };
}
