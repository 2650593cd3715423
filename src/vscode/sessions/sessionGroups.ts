import { isSessionLive } from '../../model/session/status.ts';
import { localDay } from '../../engine/usage/localDay.ts';
import { needsYou, type SessionRow } from './sessionRow.ts';

export const groupNames = ['needsYou', 'running', 'today', 'yesterday', 'earlier'] as const;
export type GroupName = (typeof groupNames)[number];

/** A session with its child sessions, newest first. */
export interface SessionNode {
  readonly row: SessionRow;
  readonly children: readonly SessionNode[];
}

export interface SessionGroup {
  readonly name: GroupName;
  readonly nodes: readonly SessionNode[];
}

function groupOf(node: SessionNode, now: number): GroupName {
  const waits = (sessionNode: SessionNode): boolean =>
    needsYou(sessionNode.row) !== undefined || sessionNode.children.some(waits);
  if (waits(node)) return 'needsYou';
  const live = (sessionNode: SessionNode): boolean =>
    isSessionLive(sessionNode.row.status) || sessionNode.children.some(live);
  if (live(node)) return 'running';
  const day = localDay(node.row.updated_at);
  if (day >= localDay(now)) return 'today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  return day === localDay(yesterday.getTime()) ? 'yesterday' : 'earlier';
}

/** The session below which this one appears: that which started it, or which it was forked from. */
function parentIdOf({ parent_session_id: parent, forked_from: origin }: SessionRow): string | undefined {
  return parent ?? origin?.session_id;
}

/**
 * Groups for the tree: children below parents, forks below their origin, roots by urgency and day, newest first; no empty groups. A child without
 * its parent in `rows`, or within a cycle, becomes a root.
 */
export function groupSessions(rows: readonly SessionRow[], now: number): readonly SessionGroup[] {
  const newestFirst = [...rows].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const byId = new Map(newestFirst.map((row) => [row.session_id, row]));
  const parentOf = (row: SessionRow): SessionRow | undefined => byId.get(parentIdOf(row) ?? '');
  const nested = (row: SessionRow): boolean => {
    const seen = new Set<string>();
    for (let at: SessionRow | undefined = row; at !== undefined; at = parentOf(at)) {
      if (seen.has(at.session_id)) return false;
      seen.add(at.session_id);
    }
    return seen.size > 1;
  };
  const children = new Map<string, SessionRow[]>();
  for (const row of newestFirst.filter(nested)) {
    const parent = parentIdOf(row) ?? '';
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const node = (row: SessionRow): SessionNode => ({ row, children: (children.get(row.session_id) ?? []).map(node) });
  const roots = newestFirst.filter((row) => !nested(row)).map(node);
  return groupNames.flatMap((name) => {
    const nodes = roots.filter((root) => groupOf(root, now) === name);
    return nodes.length === 0 ? [] : [{ name, nodes }];
  });
}
