import { isKeepable } from './keepable.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

const dayMs = 86_400_000;
/** Days before the deletion when the notice appears. */
const noticeDays = 7;

/**
 * Whole days until an agent deletes its session file; `undefined`: more than a week, or unknown. `cleanupDays`: days
 * without a change.
 */
export function daysToDeletion(
  row: Pick<SessionRow, 'observed' | 'updated_at'>,
  cleanupDays: number | undefined,
  now: number,
): number | undefined {
  if (cleanupDays === undefined || !isKeepable(row)) return undefined;
  const remaining = Date.parse(row.updated_at) + cleanupDays * dayMs - now;
  return remaining > noticeDays * dayMs ? undefined : Math.max(0, Math.floor(remaining / dayMs));
}
