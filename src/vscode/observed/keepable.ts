import type { SessionRow } from '../sessions/sessionRow.ts';

/** A session that can be copied into a record: it can be read, and no program adds to it. */
export function isKeepable({ observed }: Pick<SessionRow, 'observed'>): boolean {
  return observed?.problem === null && observed.live.state === 'ended';
}
