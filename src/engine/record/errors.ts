/** Process that writes a record. `startTime`: start of the process in the system's format, `null` if unknown. */
export interface LeaseHolder {
  readonly pid: number;
  readonly startTime: string | null;
  /** For display. `machine` identifies the machine and is absent in leases of earlier versions. */
  readonly hostname: string;
  readonly machine?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

/** Another process writes this record. It can still be read. */
export class RecordBusyError extends Error {
  override readonly name = 'RecordBusyError';
  readonly sessionId: string;
  readonly holder: LeaseHolder | null;

  constructor(sessionId: string, holder: LeaseHolder | null) {
    const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.hostname} since ${holder.at}`;
    super(`Session ${sessionId} is being written by ${who}.`);
    this.sessionId = sessionId;
    this.holder = holder;
  }

  static is(error: unknown): error is RecordBusyError {
    return error instanceof RecordBusyError;
  }
}

export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError';
  readonly sessionId: string;
  /** Folder of the session if other files are still in it: the record was lost, not deleted. */
  readonly remainingFolder: string | null;

  constructor(sessionId: string, remains: string | null) {
    super(`There is no record of session ${sessionId}. It may have been deleted, or it may be in another store.`);
    this.sessionId = sessionId;
    this.remainingFolder = remains;
  }

  static is(error: unknown): error is RecordNotFoundError {
    return error instanceof RecordNotFoundError;
  }
}

/** A newer Vitrine wrote this record. It can still be read. */
export class RecordVersionError extends Error {
  override readonly name = 'RecordVersionError';
  readonly sessionId: string;
  readonly version: number;

  constructor(sessionId: string, version: number) {
    super(
      `Session ${sessionId} was written by a newer version of Vitrine (record version ${version}). Update Vitrine to continue.`,
    );
    this.sessionId = sessionId;
    this.version = version;
  }

  static is(error: unknown): error is RecordVersionError {
    return error instanceof RecordVersionError;
  }
}
