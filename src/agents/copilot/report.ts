import type { RunReport } from '../../model/usage/facts.ts';
import type { JsonObject } from '../../model/text/json.ts';
import { totalTokens } from '../../model/usage/usage.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import type { ResultLine, UsageFile } from './wire.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

/**
 * A session in its first run is at most this much older than its process. Measured: 60 to 270 ms for a new session; a
 * resumed one is older by at least a run and a program start.
 */
const maxStartMs = 1000;

export interface Outcome {
  readonly result: ResultLine | undefined;
  readonly usage: UsageFile | undefined;
  /** Time between the first and the last line, in ms. */
  readonly elapsedMs: number | undefined;
  readonly text: string | null;
  readonly errors: readonly string[];
  /** Why it was interrupted, in the agent's word. */
  readonly interrupted: string | undefined;
}

/** Results of the run, from its closing line and the file with its tokens. */
export function runReport({ result, usage, elapsedMs, text, errors, interrupted }: Outcome): RunReport {
  const failed = interrupted === undefined && (result?.exitCode ?? 0) !== 0;
  return {
    ...emptyReport,
    isError: failed,
    subtype: failed ? 'error' : 'success',
    text,
    errors: failed ? [errors.at(-1) ?? failedText(result)] : [],
    terminalReason: interrupted === undefined ? null : `aborted_${interrupted}`,
    durationMs: runDuration(result?.sessionDurationMs, elapsedMs),
    apiDurationMs: result?.apiDurationMs ?? usage?.apiDurationMs ?? null,
    models: usage?.models ?? [],
    // Measured: all figures accumulate over resumes. Early versions reportedly started again.
    cover: { of: 'session', sure: false },
  };
}

/** Used if the agent gives no reason. */
export function failedText(result: ResultLine | undefined): string {
  return `The run failed (exit code ${result?.exitCode ?? 'unknown'}); the agent gave no reason.`;
}

/** The agent prints the age of the session, which is the duration of its first run. */
function runDuration(sessionMs: number | undefined, elapsedMs: number | undefined): number | null {
  if (elapsedMs === undefined) return null;
  return sessionMs !== undefined && sessionMs >= elapsedMs && sessionMs - elapsedMs <= maxStartMs
    ? sessionMs
    : elapsedMs;
}

/** `Completed · 0.7 s · 3,057 tokens in this session`; the exact figures are in the entry's metadata. */
export function reportText(report: RunReport): string {
  const title = report.terminalReason !== null ? 'Interrupted' : report.isError ? 'Failed' : 'Completed';
  const parts = [title];
  if (report.durationMs !== null) parts.push(englishNumbers.duration(report.durationMs));
  const tokens = report.models.reduce((sum, model) => sum + totalTokens(model), 0);
  if (tokens > 0) parts.push(`${englishNumbers.count(tokens)} tokens in this session`);
  return parts.join(' · ');
}

/** Metadata of the entry for the closing line: the agent's own figures. */
export function reportMetadata({ result, usage }: Outcome): JsonObject {
  return {
    exitCode: result?.exitCode ?? null,
    usage: result?.usage ?? null,
    ...(usage !== undefined && {
      models: usage.models,
      premiumRequestCost: usage.premiumRequestCost ?? null,
      nanoAiu: usage.nanoAiu ?? null,
    }),
  };
}
