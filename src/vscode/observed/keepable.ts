import type { SessionRow } from '../sessions/sessionRow.ts';

/** Whether a session can be copied into a record: it is readable and not running. */
export function isKeepable({ observed }: Pick<SessionRow, 'observed'>): boolean {
  return observed?.problem === null && observed.live.state === 'ended';
}
