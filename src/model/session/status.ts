import type { Run, RunStatus, Session, SessionStatus } from './session.ts';

/** An ended session can run again: resuming returns it to `pending`. */
const sessionSteps: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  pending: ['running', 'stopping', 'stopped', 'finished'],
  running: ['stopping', 'stopped', 'finished'],
  stopping: ['stopped', 'finished'],
  stopped: ['pending'],
  finished: ['pending'],
};

const runSteps: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['claimed', 'failed', 'stopped'],
  claimed: ['running', 'stopping', 'failed', 'stopped'],
  running: ['stopping', 'completed', 'failed', 'stopped'],
  stopping: ['completed', 'failed', 'stopped'],
  completed: [],
  failed: [],
  stopped: [],
};

/** A transition that the status machine does not have. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';

  constructor(what: string, from: string, to: string) {
    super(`${what} cannot change from "${from}" to "${to}".`);
  }

  static is(error: unknown): error is IllegalTransitionError {
    return error instanceof IllegalTransitionError;
  }
}

/** @throws IllegalTransitionError */
export function moveSession(session: Session, to: SessionStatus): Session {
  if (!sessionSteps[session.status].includes(to)) {
    throw new IllegalTransitionError(`Session ${session.session_id}`, session.status, to);
  }
  return { ...session, status: to };
}

/** `at` (ISO 8601) becomes the time of the new status. @throws IllegalTransitionError */
export function moveRun<R extends Run>(run: R, to: RunStatus, at: string): R {
  if (!runSteps[run.status].includes(to)) throw new IllegalTransitionError(`Run ${run.run_id}`, run.status, to);
  const moved: R = { ...run, status: to };
  if (to === 'claimed') moved.claimed_at = at;
  else if (to === 'running') moved.started_at = at;
  else if (isRunOver(to)) moved.completed_at = at;
  return moved;
}

export function isRunOver(status: RunStatus): boolean {
  return runSteps[status].length === 0;
}

/** Whether an agent may be running for this session. */
export function isSessionLive(status: SessionStatus): boolean {
  return status === 'pending' || status === 'running' || status === 'stopping';
}
