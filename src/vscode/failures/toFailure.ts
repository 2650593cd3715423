import { DaemonError } from '../../client/errors.ts';
import { failureActions, failureCodes } from '../../engine/failures/failureCodes.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { quote, worded } from '../../engine/failures/wording.ts';
import type { FailureData } from '../../protocol/daemon/failure.ts';

/** Converts a failure of the daemon's engine. */
export function toFailure({ code, message, detail, words, action, tried, budget }: FailureData): EngineFailure {
  const known = failureCodes.find((failureCode) => failureCode === code) ?? 'internal';
  const fix = failureActions.find((failureAction) => failureAction === action);
  const text = {
    message: words?.message ?? quote(message),
    detail: words?.detail ?? quote(detail),
    ...(fix !== undefined && { action: fix }),
    ...(tried !== undefined && { tried }),
    ...(budget !== undefined && { budget }),
  };
  return new EngineFailure(known, text);
}

/** The daemon could not be reached. */
export function translateConnectionError(error: unknown): unknown {
  if (!DaemonError.is(error)) return error;
  const text = {
    message: worded`The Vitrine daemon does not respond.`,
    detail: quote(`${error.message} ${error.detail}`),
  };
  return new EngineFailure('daemon_unreachable', { ...text, action: 'doctor' }, error);
}
