import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { RunResult } from '../../model/session/result.ts';
import { type EngineFailure, failures } from './failures.ts';
import { worded, type Wording } from './wording.ts';

/** Why a run failed in a way that the user can fix; `undefined` if it did not. Not for stopped runs. */
export function failureReason(run: {
  readonly label: string;
  readonly program: string;
  /** Session ids that the run was asked to resume. */
  readonly ids: readonly string[];
  /** Whether the agent printed anything to stdout. */
  readonly hasPrinted: boolean;
  readonly facts: RunFacts;
  readonly exit: ExitInfo;
  readonly result: RunResult;
}): EngineFailure | undefined {
  const { label, program, ids, hasPrinted, facts, exit, result } = run;
  if (facts.unknownSession) return failures.conversationUnknown(label, ids);
  if (result.success) return undefined;
  if (hasPrinted) return failures.agentFailed(label, result.error);
  const how = exit.signal ?? exitText(exit.code);
  return failures.exitedAtOnce(label, program, how, facts.stderr.trim().slice(0, 2000));
}

function exitText(code: number | null): Wording {
  return code === null ? worded`exit code unknown` : worded`exit code ${code}`;
}
