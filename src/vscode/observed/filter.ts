import type { SourceScope } from '../../protocol/daemon/sources.ts';
import { isObject } from '../../model/text/json.ts';
import { localDay } from '../../engine/usage/localDay.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { titleOf, type SessionRow } from '../sessions/sessionRow.ts';
import { isWithin, type CostBound, type DateRange } from './filterText.ts';

export const filterStates = ['needsYou', 'running', 'idle', 'ended'] as const;
export type FilterState = (typeof filterStates)[number];
export const filterDays = [1, 7, 30] as const;

/** Which sessions besides Vitrine's own of this window are listed. `team`: as `repository`, and those of other members. */
export type ViewScope = SourceScope | 'team';

/** Filter of the Sessions view. Absent fields do not filter. */
export interface SessionFilter {
  readonly scope: ViewScope;
  /** Display names of agents. */
  readonly agents?: readonly string[];
  readonly states?: readonly FilterState[];
  /** Changed within this number of days. */
  readonly days?: number;
  /** Changed on these local calendar days. */
  readonly dates?: DateRange;
  /** Cost of the session without child sessions. An unknown cost matches no bound. */
  readonly cost?: readonly CostBound[];
  /** Text in the title, the first prompt, the branch or the folder. */
  readonly text?: string;
}

export const noFilter: SessionFilter = { scope: 'repository' };

/** State of a session for the filter. */
export function filterState(row: SessionRow): FilterState {
  if (isSessionLive(row.status)) return row.needs_you === undefined ? 'running' : 'needsYou';
  return row.observed?.live.state === 'idle' ? 'idle' : 'ended';
}

/** Whether a session is shown. The scope is applied when sessions from other programs are listed. */
export function passesFilter(row: SessionRow, filter: SessionFilter, now: number): boolean {
  const { agents, states, days, dates, cost, text } = filter;
  if (agents !== undefined && !agents.includes(row.agent_label)) return false;
  if (states !== undefined && !states.includes(filterState(row))) return false;
  if (days !== undefined && now - Date.parse(row.updated_at) > days * 86_400_000) return false;
  if (dates !== undefined && !isInRange(row.updated_at, dates)) return false;
  if (cost !== undefined && !(row.total_cost.provenance !== 'unknown' && isWithin(row.total_cost.usd, cost)))
    return false;
  if (text === undefined) return true;
  const words = [titleOf(row), row.prompt, row.observed?.branch ?? '', row.project_dir ?? ''];
  return words.some((word) => word.toLowerCase().includes(text.toLowerCase()));
}

/** Whether there is a filter besides the scope. */
export function isFiltering(filter: SessionFilter): boolean {
  return Object.keys(filter).some((part) => part !== 'scope');
}

/** Saved scope of the window; other filters are not saved. */
export function scopeOf(saved: unknown): ViewScope {
  const scope = isObject(saved) ? saved['scope'] : undefined;
  return scope === 'folder' || scope === 'everything' || scope === 'team' ? scope : 'repository';
}

function isInRange(time: string, { from, to }: DateRange): boolean {
  const day = localDay(time);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}
