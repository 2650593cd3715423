import { DaemonError } from '../client/errors.ts';
import { CoordinatorError } from '../coordinator/errors.ts';
import { EngineFailure } from '../engine/failures/failures.ts';
import { worded } from '../engine/failures/wording.ts';
import type { FailureData } from '../protocol/daemon/failure.ts';

export function folderUntrusted(folder: string): EngineFailure {
  return new EngineFailure('folder_untrusted', {
    message: worded`Agents cannot start in an untrusted folder: ${folder}`,
    detail: worded`Trust the folder in VS Code, or start the agent from a terminal there.`,
  });
}

export function daemonRetiringFailure(): EngineFailure {
  return new EngineFailure('engine_closed', {
    message: worded`The Vitrine daemon is stopping and cannot start agents.`,
    detail: worded`Try again when its running agents have finished, or stop it now: vitrine daemon stop --now`,
  });
}

/** A failure as sent to clients; `null` if it is not shown to people. */
export function failureData(error: unknown): FailureData | null {
  if (CoordinatorError.is(error)) return { code: error.code, message: error.message, detail: '' };
  // The error comes from the daemon of another version that runs the session.
  if (DaemonError.is(error)) return error.failure ?? { code: error.code, message: error.message, detail: error.detail };
  if (!EngineFailure.is(error)) return null;
  const { code, message, detail, words, action, tried, budget } = error;
  return {
    code,
    message,
    detail,
    words,
    tried: [...tried],
    ...(action !== undefined && { action }),
    ...(budget !== undefined && { budget }),
  };
}
