import type { StepFacts } from './sources/stepFacts.ts';
import type { Candidate } from './types.ts';

/** A candidate with a lower score is listed, but is not evidence. */
export const minimumScore = 0.5;

export function candidate(
  facts: StepFacts,
  score: number,
  why: Candidate['why'],
  extra: Partial<Candidate> = {},
): Candidate {
  const { entryIndex, callId, step, status, at, command, exitCode, unfinished } = facts;
  return {
    entryIndex,
    callId,
    step,
    score: Math.round(Math.max(0, Math.min(1, score)) * 1000) / 1000,
    why,
    status,
    at,
    ...(command !== undefined && { command }),
    ...(exitCode !== undefined && { exitCode }),
    ...(unfinished === true && { unfinished }),
    ...extra,
  };
}
