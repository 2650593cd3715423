import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { RunResult } from '../../model/session/result.ts';
import { type EngineFailure, failures } from './failures.ts';
import { say, type Wording } from './wording.ts';

/** Why a run that was not stopped is a failure that a person can do something about; `undefined` where it is none. */
export function failureReason(run: {
  readonly label: string;
  readonly program: string;
  /** By which it was asked for. */
  readonly ids: readonly string[];
  /** Whether anything came on stdout. */
  readonly printed: boolean;
  readonly facts: RunFacts;
  readonly exit: ExitInfo;
  readonly result: RunResult;
}): EngineFailure | undefined {
  const { label, program, ids, printed, facts, exit, result } = run;
  if (facts.unknownSession) return failures.conversationUnknown(label, ids);
  if (result.success) return undefined;
  if (printed) return failures.agentFailed(label, result.error);
  const how = exit.signal ?? exitText(exit.code);
  return failures.exitedAtOnce(label, program, how, facts.stderr.trim().slice(0, 2000));
}

function exitText(code: number | null): Wording {
  return code === null ? say`exit code unknown` : say`exit code ${code}`;
}
