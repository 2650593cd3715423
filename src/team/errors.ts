/**
 * `url`: not a usable address. `login`: the server rejected name or password. `refused`: a rule of the team did. `unreachable`: no server
 * answers there. `conflict`: lines do not follow those that the database has.  `outdated`: the run has
 * ended, or another runner has it. `unregistered`: the runner has to register again. `schema`: the database has no team, or one of another version.
 */
type TeamErrorCode = 'url' | 'login' | 'refused' | 'unreachable' | 'conflict' | 'outdated' | 'unregistered' | 'schema';

export class TeamError extends Error {
  override readonly name = 'TeamError';
  readonly code: TeamErrorCode;
  /** What to do next. */
  readonly next: string;

  constructor(code: TeamErrorCode, message: string, next: string) {
    super(message);
    this.code = code;
    this.next = next;
  }

  static is(error: unknown, code?: TeamErrorCode): error is TeamError {
    return error instanceof TeamError && (code === undefined || error.code === code);
  }
}
