import type { Session } from './session.ts';

/** Whether a session was imported from a file and cannot be resumed. Sessions from an agent's store can. */
export function isReadOnly({ imported }: Pick<Session, 'imported'>): boolean {
  return imported !== undefined && imported.format !== 'store';
}
