import type { Session } from './session.ts';

/** Whether a session was imported from a file and cannot be resumed. One from the store of its agent can. */
export function isReadOnly({ imported }: Pick<Session, 'imported'>): boolean {
  return imported !== undefined && imported.format !== 'store';
}
