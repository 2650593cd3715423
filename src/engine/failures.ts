/** What a person can do about a failure; the shell turns it into a button. */
export type FailureAction = 'openSettings' | 'doctor' | 'install' | 'startAfresh' | 'revealRecord';

export type FailureCode =
  | 'program_missing'
  | 'program_not_executable'
  | 'recording_missing'
  | 'agent_unknown'
  | 'directory_missing'
  | 'spawn_failed'
  | 'node_too_old'
  | 'exited_at_once'
  | 'agent_failed'
  | 'silent'
  | 'ignores_signals'
  | 'session_busy'
  | 'session_elsewhere'
  | 'session_missing'
  | 'conversation_unknown'
  | 'interrupted'
  | 'engine_closed';

interface FailureText {
  /** What happened, one sentence. */
  readonly message: string;
  /** Why, and what to do next. */
  readonly detail: string;
  readonly action?: FailureAction;
  /** Where a program was looked for, in order. */
  readonly tried?: readonly string[];
}

/** A failure that a person sees. Tell them apart by `code`, never by text. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly code: FailureCode;
  readonly detail: string;
  readonly action: FailureAction | undefined;
  readonly tried: readonly string[];

  constructor(code: FailureCode, text: FailureText, cause?: unknown) {
    super(text.message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = text.detail;
    this.action = text.action;
    this.tried = text.tried ?? [];
  }

  static is(error: unknown, code?: FailureCode): error is EngineFailure {
    return error instanceof EngineFailure && (code === undefined || error.code === code);
  }
}
