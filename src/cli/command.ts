import type { Readable, Writable } from 'node:stream';

/** What a command works with instead of reaching for the process. */
export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called each time the user or the system asks this process to end; gives what takes the listener away. */
  readonly onInterrupt: (listener: (cause: InterruptCause) => void) => () => void;
}

/** `hangup`: the terminal of this process was closed. */
export type InterruptCause = 'interrupt' | 'hangup';

export interface Command {
  /** The text of `--help`. */
  readonly help: string;
  /** `args` without the command's name. Resolves to the exit code; @throws UsageError */
  run(args: readonly string[], context: CliContext): Promise<number>;
}

/** A call that cannot be carried out as it was made: what is wrong and where, and what to do next. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }

  static is(error: unknown): error is UsageError {
    return error instanceof UsageError;
  }
}
