import { isObject } from '../../model/text/json.ts';

/** What a window keeps of its visits to a folder. */
export interface Visits {
  /** Until when a window was open, ISO 8601. */
  readonly lastOpen: string;
  /** Since when no one has looked at what happened; absent: someone has. */
  readonly unseenSince?: string;
}

/** A window that is back within this time was reloaded; in ms. */
const reloadMs = 5 * 60_000;

/** What was kept; `undefined` for anything else. */
export function parseVisits(saved: unknown): Visits | undefined {
  if (!isObject(saved)) return undefined;
  const { lastOpen, unseenSince } = saved;
  if (typeof lastOpen !== 'string' || Number.isNaN(Date.parse(lastOpen))) return undefined;
  return typeof unseenSince === 'string' && unseenSince < lastOpen ? { lastOpen, unseenSince } : { lastOpen };
}

/** Since when things are news. A reload does not take away what no one has looked at yet. `now`: epoch ms. */
export function newsSince({ lastOpen, unseenSince }: Visits, now: number): string {
  return unseenSince !== undefined && now - Date.parse(lastOpen) < reloadMs ? unseenSince : lastOpen;
}
