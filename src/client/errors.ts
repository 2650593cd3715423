/** Why a call to the daemon failed. `code` is `unreachable`, `refused`, `incompatible`, or the engine's own code. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: string;
  /** Why, and what to do. */
  readonly detail: string;

  constructor(code: string, message: string, detail = '') {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  static is(error: unknown, code?: string): error is DaemonError {
    return error instanceof DaemonError && (code === undefined || error.code === code);
  }
}
