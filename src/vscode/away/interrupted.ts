import { isSessionLive } from '../../model/session/status.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

/** Maximum age in ms for resuming interrupted sessions together. */
const recentMs = 7 * 24 * 60 * 60_000;

/** Sessions interrupted by a crash or reboot, newest first, without child sessions. `now`: epoch ms. */
export function interruptedRows(rows: readonly SessionRow[], now: number): readonly SessionRow[] {
  const cut = rows.filter(
    ({ status, outcome, updated_at: at }) =>
      !isSessionLive(status) && outcome === 'interrupted' && now - Date.parse(at) < recentMs,
  );
  const ids = new Set(cut.map(({ session_id: id }) => id));
  return cut
    .filter(({ parent_session_id: parent }) => parent === undefined || !ids.has(parent))
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at));
}
