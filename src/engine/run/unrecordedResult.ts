import type { RunResult, Unrecorded } from '../../model/session/result.ts';

/** A result that also says what of its run is not in the record; success stays that of the agent. */
export function withUnrecorded(result: RunResult, unrecorded: Unrecorded | null): RunResult {
  if (unrecorded === null) return result;
  return { ...result, unrecorded, warnings: [...(result.warnings ?? []), unrecordedText(unrecorded)] };
}

export function unrecordedText({ path, code, bytes }: Unrecorded): string {
  return `The record of this session is incomplete: ${bytes} bytes were not written (${code}: ${path}).`;
}
