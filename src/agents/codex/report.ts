import type { RunReport } from '../../model/usage/facts.ts';
import { totalTokens } from '../../model/usage/usage.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import { tokenUsage } from './wire.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

/** First version that prints the tokens of the whole thread; earlier ones print those of the run. */
const threadTotalsSince = '0.79.0';

/** `turn.completed`. Lines with reasoning (since 0.125) or cache writes come from later versions. */
export function completedReport(usage: unknown, text: string | null): RunReport {
  const tokens = tokenUsage(usage);
  if (tokens === null) return { ...emptyReport, text };
  const later = tokens.cacheWrite !== undefined || tokens.reasoning !== undefined;
  const cover = { of: 'session', sure: false } as const;
  return { ...emptyReport, text, usage: tokens, cover: later ? cover : { ...cover, since: threadTotalsSince } };
}

/** A turn that a person cancelled. */
export function interruptedReport(usage: unknown, text: string | null): RunReport {
  return { ...completedReport(usage, text), terminalReason: 'aborted' };
}

export function failedReport(message: string): RunReport {
  return { ...emptyReport, isError: true, subtype: 'error', errors: [message] };
}

/** `Completed · 1,260 tokens counted`; the line does not say whether of the run or of the thread. */
export function completedText(usage: unknown): string {
  const tokens = tokenUsage(usage);
  return tokens === null ? 'Completed' : `Completed · ${englishNumbers.count(totalTokens(tokens))} tokens counted`;
}
