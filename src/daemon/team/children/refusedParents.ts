import { CoordinatorError } from '../../../coordinator/errors.ts';
import type { SharedSession } from '../../../team/records/sharedSessions.ts';

/** Only the machine that has a session can enforce the limits of its tree and resume it. */
export function parentElsewhere({ session_id: id, owner, hostname }: SharedSession): CoordinatorError {
  const where = `another machine in the team (${owner}, ${hostname})`;
  return new CoordinatorError('invalid', `Session ${id} is on ${where}. Queue its child there.`);
}

/** A child on another machine. */
export function parentRemote(id: string): CoordinatorError {
  return new CoordinatorError(
    'invalid',
    `Another machine in the team runs session ${id}, which therefore cannot have child sessions. Specify its parent instead.`,
  );
}

/** Lists of the team show the prompt of a child. */
export function parentNotShared(id: string): CoordinatorError {
  const command = `vitrine team share ${id} --as metadata`;
  return new CoordinatorError(
    'invalid',
    `Session ${id} is not shared with the team, but the team could read the prompt of its child session. Share at least its metadata: ${command}`,
  );
}
