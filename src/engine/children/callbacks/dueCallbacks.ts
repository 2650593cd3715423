import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../record/layout.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { Callback } from './callbackStore.ts';

/** Callbacks of one parent to send or drop. Those in neither list wait for its next run. */
export interface DueCallbacks {
  /** Send these now. */
  readonly due: readonly Callback[];
  /** Drop these. */
  readonly toDrop: readonly Callback[];
  /** A session is still running, perhaps in a process that does not report its end. */
  readonly isRunning: boolean;
  /** A session cannot be read at the moment. */
  readonly hasUnreadable: boolean;
}

export interface DueDeps {
  readonly sessions: ReadonlyMap<string, SessionSummary>;
  /** Whether a session that is not in `sessions` was deleted. */
  readonly isGone: (id: string) => Promise<boolean>;
  /** Whether a session waits for callbacks itself, which will resume it. */
  readonly willResume: (id: string) => boolean;
  /** Whether the newest run of a session ended because its process was closed. */
  readonly wasClosed: (session: SessionSummary) => boolean;
}

type ChildState = 'ended' | 'running' | 'unreadable' | 'dropped';

export async function dueCallbacks(
  parent: string,
  callbacks: readonly Callback[],
  deps: DueDeps,
): Promise<DueCallbacks> {
  const sorted = await Promise.all(
    callbacks.map(async (callback) => ({ callback, state: await stateOf(callback, deps) })),
  );
  const withState = (state: ChildState) => sorted.filter((due) => due.state === state).map(({ callback }) => callback);
  const ended = withState('ended');
  const toDrop = withState('dropped');
  const isRunning = withState('running').length > 0;
  const hasUnreadable = withState('unreadable').length > 0;
  const summary = deps.sessions.get(parent);
  if (summary === undefined) {
    return (await deps.isGone(parent))
      ? { due: ended, toDrop, isRunning, hasUnreadable }
      : { due: [], toDrop, isRunning, hasUnreadable: true };
  }
  if (isSessionLive(summary.status)) return { due: [], toDrop, isRunning: true, hasUnreadable };
  if (summary.outcome !== 'stopped') return { due: ended, toDrop, isRunning, hasUnreadable };
  const outcomes = ended.map(({ child }) => deps.sessions.get(child));
  const wasClosed = deps.wasClosed(summary);
  // Children that had ended by then do not wake a parent that a person stopped; children that ended later do.
  const isNews = outcomes.some(
    (child) =>
      child !== undefined && child.outcome !== 'stopped' && (wasClosed || child.updated_at > summary.updated_at),
  );
  if (isNews) return { due: ended, toDrop, isRunning, hasUnreadable };
  // Children that were stopped with their parent never wake it.
  const stopped = ended.filter((_, at) => outcomes[at]?.outcome === 'stopped');
  return { due: [], toDrop: [...toDrop, ...stopped], isRunning, hasUnreadable };
}

async function stateOf(
  { parent, child }: Callback,
  { sessions, isGone, willResume, wasClosed }: DueDeps,
): Promise<ChildState> {
  const session = sessions.get(child);
  if (session === undefined) return (await isGone(child)) ? 'dropped' : 'unreadable';
  // Otherwise, anyone who can write to the store could wake any session.
  if (session.parent_session_id !== parent) return 'dropped';
  if (isSessionLive(session.status)) return 'running';
  // A session that a person stopped may never continue.
  const isStopped = session.outcome === 'stopped' && !wasClosed(session);
  return !isStopped && willResume(child) ? 'running' : 'ended';
}

/**
 * Whether the folder of a record was deleted. A session that is not listed may only be unreadable at the moment, or
 * the whole store.
 */
export async function isDeleted(recordPath: string): Promise<boolean> {
  const folder = path.dirname(recordPath);
  return !(await exists(folder)) && exists(path.dirname(folder));
}

function exists(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
}
