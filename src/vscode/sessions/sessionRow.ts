import { isObject } from '../../model/text/json.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { Share } from '../../model/session/share.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { visibleText } from '../text/inertText.ts';
import { isReadOnly } from '../../model/session/importedSession.ts';

type RowField =
  | 'session_id'
  | 'parent_session_id'
  | 'agent_name'
  | 'status'
  | 'created_at'
  | 'updated_at'
  | 'last_resumed_at'
  | 'project_dir'
  | 'hidden'
  | 'follow_ups'
  | 'title'
  | 'prompt'
  | 'agent_label'
  | 'agent_version'
  | 'model'
  | 'outcome'
  | 'reason'
  | 'turns'
  | 'runs'
  | 'synthetic'
  | 'duration'
  | 'total_cost'
  | 'recording'
  | 'budget'
  | 'needs_you'
  | 'forked_from'
  | 'executor_type'
  | 'executor_session_id'
  | 'observed'
  | 'shared'
  | 'remote';

/** Data of a row. `execution_mode`: of a child session. `share`: what the team sees of an own session. `day`: cost at the start of that local day (ISO). */
export type SessionRow = Pick<SessionSummary, RowField> & {
  readonly execution_mode?: SessionSummary['execution_mode'];
  readonly share?: Share;
  readonly day?: { readonly date: string; readonly usd: number };
};

const longest = 120;
const truncate = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** Row of `summary`, with texts cut to 120 characters. */
export function rowOf(summary: SessionSummary, day?: SessionRow['day']): SessionRow {
  const { needs_you: needs } = summary;
  const row: SessionRow = {
    session_id: summary.session_id,
    status: summary.status,
    created_at: summary.created_at,
    updated_at: summary.updated_at,
    prompt: summary.title === undefined ? truncate(summary.prompt) : '',
    agent_label: summary.agent_label,
    agent_version: summary.agent_version,
    model: summary.model,
    outcome: summary.outcome,
    turns: summary.turns,
    runs: summary.runs,
    duration: summary.duration,
    total_cost: summary.total_cost,
    // Imported sessions were paid elsewhere, too.
    recording: summary.recording || isReadOnly(summary),
  };
  const optional = {
    // For another program's session, this is the session it was forked from, not its parent.
    parent_session_id: summary.observed === undefined ? summary.parent_session_id : undefined,
    execution_mode: summary.parent_session_id === undefined ? undefined : summary.execution_mode,
    agent_name: summary.agent_name === undefined ? undefined : truncate(visibleText(summary.agent_name)),
    last_resumed_at: summary.last_resumed_at,
    project_dir: summary.project_dir,
    hidden: summary.hidden === true ? true : undefined,
    follow_ups: summary.follow_ups?.on === undefined ? undefined : { on: summary.follow_ups.on },
    title: summary.title === undefined ? undefined : truncate(summary.title),
    reason: summary.reason === undefined ? undefined : truncate(visibleText(summary.reason)),
    synthetic: summary.synthetic,
    budget: summary.budget,
    needs_you: needs === undefined ? undefined : { ...needs, title: truncate(visibleText(needs.title)) },
    observed: summary.observed,
    shared: summary.shared,
    remote: summary.remote,
    forked_from: summary.forked_from,
    executor_type: summary.executor_type,
    executor_session_id: summary.executor_session_id,
    day,
  };
  return Object.assign(row, Object.fromEntries(Object.entries(optional).filter((pair) => pair[1] !== undefined)));
}

/** Checks only the essential fields of a cached row, which is replaced when the record is read. */
export function isRow(saved: unknown): saved is SessionRow {
  if (!isObject(saved)) return false;
  const { total_cost: cost } = saved;
  const texts = ['session_id', 'status', 'created_at', 'updated_at', 'prompt', 'agent_label', 'outcome'];
  const priced = isObject(cost) && (cost['provenance'] === 'unknown' || typeof cost['usd'] === 'number');
  return priced && texts.every((name) => typeof saved[name] === 'string');
}

/** Pending request. A cached one counts only while the run is active. */
export function needsYou(row: Pick<SessionRow, 'status' | 'needs_you'>): SessionRow['needs_you'] {
  return isSessionLive(row.status) ? row.needs_you : undefined;
}

/** First line of the session's title, with invisible characters made visible. */
export function titleOf(row: Pick<SessionRow, 'title' | 'prompt'>): string {
  const [first = ''] = (row.title ?? row.prompt).trim().split('\n');
  return visibleText(first);
}
