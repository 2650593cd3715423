import type { RunReport } from '../../model/facts.ts';
import { totalTokens } from '../../model/usage.ts';
import { emptyReport } from '../shared/emptyReport.ts';
import { tokenUsage } from './wire.ts';

/**
 * `turn.completed`. Newer versions print the tokens of the whole thread, older ones those of the run; the newer ones
 * also count reasoning and what was written to the cache.
 */
export function completedReport(usage: unknown, text: string | null): RunReport {
  const tokens = tokenUsage(usage);
  if (tokens === null) return { ...emptyReport, text };
  const newer = tokens.cacheWrite !== undefined || tokens.reasoning !== undefined;
  return { ...emptyReport, text, usage: tokens, cover: { of: newer ? 'session' : 'run', sure: false } };
}

export function failedReport(message: string): RunReport {
  return { ...emptyReport, isError: true, subtype: 'error', errors: [message] };
}

/** `Completed · 1260 tokens counted`: of the run or of the thread, which the line does not say. */
export function completedText(usage: unknown): string {
  const tokens = tokenUsage(usage);
  return tokens === null ? 'Completed' : `Completed · ${totalTokens(tokens)} tokens counted`;
}
