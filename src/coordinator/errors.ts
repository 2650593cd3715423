import * as z from 'zod';

/**
 * `unknown_runner`: not registered, or replaced by another process. `over`: the run has ended or belongs to another
 * runner. `unreachable`: another process has the queue, or its journal cannot be used.
 */
export const errorCodeSchema = z.enum([
  'contradiction',
  'full',
  'invalid',
  'over',
  'unknown_run',
  'unknown_runner',
  'unreachable',
]);
export type CoordinatorErrorCode = z.infer<typeof errorCodeSchema>;

/** A refused call. Check `code`, not the text. */
export class CoordinatorError extends Error {
  override readonly name = 'CoordinatorError';
  readonly code: CoordinatorErrorCode;

  constructor(code: CoordinatorErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  static is(error: unknown, code?: CoordinatorErrorCode): error is CoordinatorError {
    return error instanceof CoordinatorError && (code === undefined || error.code === code);
  }
}
