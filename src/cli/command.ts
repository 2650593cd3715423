import type { Readable, Writable } from 'node:stream';

/** Environment of a command, instead of globals of the process. */
export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Registers a listener for interrupts. Returns a function that removes it. */
  readonly onInterrupt: (listener: (cause: InterruptCause) => void) => () => void;
}

/** `hangup`: the terminal was closed. */
export type InterruptCause = 'interrupt' | 'hangup';

export interface Command {
  /** Text of `--help`. */
  readonly help: string;
  /** `args`: without the command's name. Resolves to the exit code. @throws UsageError */
  run(args: readonly string[], context: CliContext): Promise<number>;
}

/** Invalid usage: what is wrong where, and what to do. */
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
