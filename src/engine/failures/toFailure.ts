import type { Log } from '../api.ts';
import { EngineFailure, failures } from './failures.ts';

/** What a person is told of an error. One that no one expected goes to the log with its stack. */
export function toFailure(error: unknown, runId: string, log: Log): EngineFailure {
  if (EngineFailure.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  log.error(`${runId}: ${error instanceof Error ? (error.stack ?? message) : message}`);
  return failures.internal(message);
}
