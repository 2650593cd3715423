import type { Cost, CostSum, TokenUsage } from '../../src/model/usage/usage.ts';
import { plural, t } from '../l10n.ts';
import { usd, formatNumber } from '../text/format.ts';
import type { SessionSummary } from '../../src/model/session/summary.ts';

export function kindText(kind: keyof TokenUsage): string {
  switch (kind) {
    case 'input':
      return t('Input');
    case 'output':
      return t('Output');
    case 'cacheRead':
      return t('Cache read');
    case 'cacheWrite':
      return t('Cache write');
    case 'cacheWrite1h':
      return t('1-hour cache write (part of cache write)');
    case 'reasoning':
      return t('Reasoning (part of output)');
    case 'webSearches':
      return t('Web searches');
  }
}

/** All tokens of the model; reasoning is part of output. */
export function tokensOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite;
}

/** An amount with its mark; an unknown one is never shown as zero. */
export function costText(cost: Cost): string {
  if (cost.provenance === 'unknown') return t('unknown');
  return cost.provenance === 'estimated' ? `≈ ${usd(cost.usd)}` : usd(cost.usd);
}

export function sumText({ usd: known, estimatedUsd, unknown }: CostSum): string {
  if (known === null) return t('unknown');
  const text = `${estimatedUsd > 0 ? '≈ ' : ''}${usd(known)}`;
  return unknown === 0 ? text : t('{0} + unknown', text);
}

export const provenanceIcon = { reported: 'verified', estimated: 'symbol-operator', unknown: 'question' } as const;

export function childrenText(count: number): string {
  return plural(count, t('{0} child session', 1), t('{0} child sessions'));
}

/** How full the context window is: `71,300 of 200,000 tokens (36 %)`. */
export function contextText({ context_tokens: tokens, context_window: window }: SessionSummary): string {
  if (tokens === undefined) {
    return window === null
      ? t('unknown: the agent does not report context use')
      : t('unknown share of {0} tokens: the agent does not report context use', formatNumber(window));
  }
  if (window === null) return t('{0} tokens; the agent does not report the model’s limit', formatNumber(tokens));
  return t('{0} of {1} tokens ({2}%)', formatNumber(tokens), formatNumber(window), Math.round((100 * tokens) / window));
}
