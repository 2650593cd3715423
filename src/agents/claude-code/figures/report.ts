import type { RunReport } from '../../../model/usage/facts.ts';
import type { ResultLine } from '../wire.ts';
import { modelUsage, tokenUsage } from './usage.ts';
import { limitDepth } from '../../shared/bounds.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { englishNumbers } from '../../../text/numberFormat.ts';

/** The figures of a `result` line as printed. */
export function runReport(result: ResultLine): RunReport {
  return {
    isError: result.isError,
    subtype: result.subtype ?? null,
    text: result.result ?? null,
    errors: result.errors,
    terminalReason: result.terminalReason ?? null,
    usd: result.usd ?? null,
    ...(result.runUsd !== undefined && { runUsd: result.runUsd }),
    turns: result.turns ?? null,
    durationMs: result.durationMs ?? null,
    apiDurationMs: result.apiDurationMs ?? null,
    usage: tokenUsage(result.usage),
    models: modelUsage(result.models),
    runModels: isObject(result.runModels) ? modelUsage(result.runModels) : null,
    subagents: result.subagents ?? null,
  };
}

/** `3 turns · 0.7 s · $0.01`; the exact figures are in the entry's metadata. */
export function reportText(result: ResultLine, interrupted: boolean): string {
  const { turns, durationMs, usd, denials } = result;
  const parts = [interrupted ? 'Interrupted' : title(result)];
  if (turns !== undefined) parts.push(`${englishNumbers.count(turns)} ${turns === 1 ? 'turn' : 'turns'}`);
  if (durationMs !== undefined) parts.push(englishNumbers.duration(durationMs));
  if (usd !== undefined) parts.push(englishNumbers.money(usd));
  if (denials.length > 0) parts.push(`denied: ${denials.map(({ tool }) => tool).join(', ')}`);
  return parts.join(' · ');
}

function title(result: ResultLine): string {
  switch (result.subtype) {
    case 'success':
      return result.isError ? 'Failed' : 'Completed';
    case 'error_max_turns':
      return 'Stopped at the turn limit';
    case 'error_max_budget_usd':
      return 'Stopped at the budget';
    default:
      return result.isError || result.subtype?.startsWith('error') === true ? 'Failed' : 'Ended';
  }
}

/** A field says that the agent was interrupted. */
export function isAborted(result: ResultLine): boolean {
  return result.terminalReason?.startsWith('aborted') === true;
}

/** Metadata of the entry for a `result` line. */
export function reportMetadata(result: ResultLine): JsonObject {
  return {
    subtype: result.subtype ?? null,
    isError: result.isError,
    turns: result.turns ?? null,
    durationMs: result.durationMs ?? null,
    apiDurationMs: result.apiDurationMs ?? null,
    costUsd: result.usd ?? null,
    stopReason: result.stopReason ?? null,
    terminalReason: result.terminalReason ?? null,
    ...(result.resultIndex !== undefined && { resultIndex: result.resultIndex }),
    ...(result.errors.length > 0 && { errors: result.errors }),
    ...(result.denials.length > 0 && { permissionDenials: result.denials }),
    ...(result.origin !== undefined && { origin: result.origin }),
    ...(result.structured !== undefined && { structuredOutput: limitDepth(result.structured) }),
  };
}

export interface ReportedError {
  readonly code: string | undefined;
  readonly message: string;
}

/** The error that a `result` line reports, if any; its API fields decide the code. */
export function reportedError(result: ResultLine): ReportedError | undefined {
  const shown = [result.result, ...result.errors].filter((part) => part !== undefined && part !== '').join('\n');
  switch (result.subtype) {
    case 'error_max_turns':
      return { code: 'max_turns', message: shown || 'The turn limit was reached.' };
    case 'error_max_budget_usd':
      return { code: 'max_budget', message: shown || 'The budget is used up.' };
    default:
      if (!result.isError && result.subtype?.startsWith('error') !== true) return undefined;
      return { code: undefined, message: shown || 'The run failed; the agent gave no reason.' };
  }
}
