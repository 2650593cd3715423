import type { RunReport } from '../../model/usage/facts.ts';
import { totalTokens } from '../../model/usage/usage.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import type { Stats } from './wire.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

export interface Outcome {
  readonly text: string | null;
  readonly stats: Stats;
  /** Absent: the run succeeded. */
  readonly error?: { readonly code: string | undefined; readonly message: string } | undefined;
}

/** The closing line. All figures are those of the run: a resumed run starts counting again. */
export function runReport({ text, stats, error }: Outcome): RunReport {
  const report: RunReport = {
    ...emptyReport,
    text,
    usage: stats.usage,
    models: stats.models,
    durationMs: stats.durationMs,
    apiDurationMs: stats.apiDurationMs,
    cover: { of: 'run', sure: true },
  };
  if (error === undefined) return report;
  const subtype = error.code === 'max_turns' ? 'error_max_turns' : 'error';
  return { ...report, isError: true, subtype, errors: [error.message] };
}

/** `Completed · 1.3 s · 1,270 tokens`; the exact figures are in the entry's metadata. */
export function reportText({ stats, error }: Outcome): string {
  const title = error === undefined ? 'Completed' : error.code === 'max_turns' ? 'Stopped at the turn limit' : 'Failed';
  const parts = [title];
  if (stats.durationMs !== null) parts.push(englishNumbers.duration(stats.durationMs));
  if (stats.usage !== null) parts.push(`${englishNumbers.count(totalTokens(stats.usage))} tokens`);
  return parts.join(' · ');
}
