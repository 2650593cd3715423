import type { Log } from '../api.ts';
import { EngineFailure, failures } from './failures.ts';

/** Converts an error into a failure for users. Unexpected errors are logged with their stack. */
export function toFailure(error: unknown, runId: string, log: Log): EngineFailure {
  if (EngineFailure.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  log.error(`${runId}: ${error instanceof Error ? (error.stack ?? message) : message}`);
  return failures.internal(message);
}
