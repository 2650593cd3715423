import { isKeepable } from './keepable.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

const day = 86_400_000;
/** Days before the deletion from which it is told. */
const toldDays = 7;

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
  return left > toldDays * day ? undefined : Math.max(0, Math.floor(left / day));
}
