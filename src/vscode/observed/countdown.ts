import { isKeepable } from './keepable.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

const day = 86_400_000;
/** The notice appears this many days before the deletion. */
const noticeDays = 7;

/**
 * In how many whole days an agent deletes its file of a session; `undefined`: in more than a week, or that is not known.
 * `cleanupDays`: after how many days without a change.
 */
export function daysToDeletion(
  row: Pick<SessionRow, 'observed' | 'updated_at'>,
  cleanupDays: number | undefined,
  now: number,
): number | undefined {
  if (cleanupDays === undefined || !isKeepable(row)) return undefined;
  const left = Date.parse(row.updated_at) + cleanupDays * day - now;
  return left > noticeDays * day ? undefined : Math.max(0, Math.floor(left / day));
}
