import type { RunReport } from '../../model/facts.ts';
import { nonEmpty, objects, resultSchema, type ResultLine } from './wire.ts';
import { modelUsage, tokenUsage } from './usage.ts';
import { isObject, type JsonObject } from '../../model/json.ts';

export function parseResult(message: JsonObject): ResultLine {
  return resultSchema.parse(message);
}

/** The figures of a `result` line as printed, by whichever names its version uses. */
export function runReport(result: ResultLine): RunReport {
  const perRun = result.model_usage_since_last_result;
  return {
    isError: result.is_error === true,
    subtype: result.subtype ?? null,
    text: result.result ?? null,
    errors: result.errors,
    usd: printedUsd(result),
    turns: result.num_turns ?? null,
    durationMs: result.duration_ms ?? null,
    apiDurationMs: result.duration_api_ms ?? null,
    usage: tokenUsage(result.usage),
    models: modelUsage(result.modelUsage),
    runModels: isObject(perRun) ? modelUsage(perRun) : null,
  };
}

function printedUsd(result: ResultLine): number | null {
  return result.total_cost_usd ?? result.total_cost ?? result.cost_usd ?? null;
}

/** `3 turns · 0.7 s · $0.012896`; the exact figures are in the entry's metadata. */
export function reportText(result: ResultLine, interrupted: boolean): string {
  const usd = printedUsd(result);
  const turns = result.num_turns;
  return [
    interrupted ? 'Interrupted' : title(result),
    turns === undefined ? undefined : `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    result.duration_ms === undefined ? undefined : `${(result.duration_ms / 1000).toFixed(1)} s`,
    usd === null ? undefined : `$${Number(usd.toPrecision(12))}`,
    denials(result).length === 0
      ? undefined
      : `denied: ${denials(result)
          .map(({ tool }) => tool)
          .join(', ')}`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

function title(result: ResultLine): string {
  switch (result.subtype) {
    case 'success':
      return result.is_error === true ? 'Failed' : 'Completed';
    case 'error_max_turns':
      return 'Stopped at the limit of turns';
    case 'error_max_budget_usd':
      return 'Stopped at the budget';
    default:
      return result.is_error === true || result.subtype?.startsWith('error') === true ? 'Failed' : 'Ended';
  }
}

/** The agent says by a field that it was interrupted. */
export function isAborted(result: ResultLine): boolean {
  return result.terminal_reason?.startsWith('aborted') === true;
}

export interface Denial {
  readonly tool: string;
  readonly callId: string | undefined;
}

export function denials(result: ResultLine): Denial[] {
  return objects(result.permission_denials).map((denial) => ({
    tool: nonEmpty(denial['tool_name']) ?? 'a tool',
    callId: nonEmpty(denial['tool_use_id']),
  }));
}

/** What the entry of a `result` line carries beside the common metadata. */
export function reportMetadata(result: ResultLine): JsonObject {
  const origin = isObject(result.origin) ? nonEmpty(result.origin['kind']) : undefined;
  return {
    subtype: result.subtype ?? null,
    isError: result.is_error ?? null,
    turns: result.num_turns ?? null,
    durationMs: result.duration_ms ?? null,
    apiDurationMs: result.duration_api_ms ?? null,
    costUsd: printedUsd(result),
    stopReason: result.stop_reason ?? null,
    terminalReason: result.terminal_reason ?? null,
    ...(result.result_index !== undefined && { resultIndex: result.result_index }),
    ...(result.errors.length > 0 && { errors: result.errors }),
    ...(denials(result).length > 0 && { permissionDenials: denials(result) }),
    ...(origin !== undefined && { origin }),
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
      return { code: 'max_turns', message: shown || 'The limit of turns was reached.' };
    case 'error_max_budget_usd':
      return { code: 'max_budget', message: shown || 'The budget was used up.' };
    default:
      if (result.is_error !== true && result.subtype?.startsWith('error') !== true) return undefined;
      return { code: undefined, message: shown || 'The run failed; the agent gave no reason.' };
  }
}
