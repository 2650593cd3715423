import type { Cost, CostSum, TokenUsage } from '../../src/model/usage.ts';
import { plural, t } from '../l10n.ts';
import { usd } from '../text/format.ts';

export const tokenKinds = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'reasoning',
  'webSearches',
] as const;

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
      return t('Cache write for 1 hour (part of cache write)');
    case 'reasoning':
      return t('Reasoning (part of output)');
    case 'webSearches':
      return t('Web searches');
  }
}

/** All that went through the model; reasoning is part of output. */
export function tokensOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite;
}

/** An amount with its mark; an unknown one says so and is never a zero. */
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
