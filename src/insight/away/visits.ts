import { isObject } from '../../model/text/json.ts';

/** What a window keeps of its visits to a folder. */
export interface Visits {
  /** When a window was last open, ISO 8601. */
  readonly lastOpen: string;
  /** Time since which no one has read the summary; absent: someone has. */
  readonly unseenSince?: string;
}

/** A window that returns within this time was reloaded; in ms. */
const reloadMs = 5 * 60_000;

/** The saved value; `undefined` for anything else. */
export function parseVisits(saved: unknown): Visits | undefined {
  if (!isObject(saved)) return undefined;
  const { lastOpen, unseenSince } = saved;
  if (typeof lastOpen !== 'string' || Number.isNaN(Date.parse(lastOpen))) return undefined;
  return typeof unseenSince === 'string' && unseenSince < lastOpen ? { lastOpen, unseenSince } : { lastOpen };
}

/** Time after which changes count as updates. A reload keeps updates that no one has read. `now`: epoch ms. */
export function changesSince({ lastOpen, unseenSince }: Visits, now: number): string {
  return unseenSince !== undefined && now - Date.parse(lastOpen) < reloadMs ? unseenSince : lastOpen;
}
