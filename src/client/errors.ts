import type { FailureData } from '../protocol/daemon/failure.ts';

/**
 * Why a call to the daemon failed. `code` is `unreachable` (also if the connection was lost), `refused`, `incompatible`,
 * `failed` (an error inside the daemon), or the engine's own code.
 */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: string;
  /** Why, and what to do. */
  readonly detail: string;

  /** As the daemon sent it; absent if the daemon was not reached. */
  readonly failure: FailureData | undefined;

  constructor(code: string, message: string, detail = '', failure?: FailureData) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.failure = failure;
  }

  static is(error: unknown, code?: string): error is DaemonError {
    return error instanceof DaemonError && (code === undefined || error.code === code);
  }
}
