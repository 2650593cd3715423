import type { RunResult, Unrecorded } from '../../model/session/result.ts';

/** Adds to a result what is missing from the run's record. The agent's success is unchanged. */
export function withUnrecorded(result: RunResult, unrecorded: Unrecorded | null): RunResult {
  if (unrecorded === null) return result;
  return { ...result, unrecorded, warnings: [...(result.warnings ?? []), unrecordedText(unrecorded)] };
}

export function unrecordedText({ path, code, bytes }: Unrecorded): string {
  return `The record of this session is incomplete: ${bytes} bytes were not written (${code}: ${path}).`;
}
