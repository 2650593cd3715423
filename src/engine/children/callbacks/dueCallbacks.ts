import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../record/layout.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { Callback } from './callbackStore.ts';

/** What becomes of the callbacks of one parent. Those in neither list wait for its next run. */
export interface DueCallbacks {
  /** The parent is told of these now. */
  readonly due: readonly Callback[];
  /** No one is to be told of these. */
  readonly void: readonly Callback[];
  /** Something is still running, and may be where nothing is heard of its end. */
  readonly goesOn: boolean;
  /** There is something that cannot be read now. */
  readonly unread: boolean;
}

export interface DueDeps {
  readonly sessions: ReadonlyMap<string, SessionSummary>;
  /** Whether a session is deleted that is not among them. */
  readonly isGone: (id: string) => Promise<boolean>;
  /** Whether a session will be told itself what it waits for, and resume that. */
  readonly willGoOn: (id: string) => boolean;
  /** Whether the newest run of a session ended because its process was closed. */
  readonly wasClosed: (session: SessionSummary) => boolean;
}

type ChildState = 'ended' | 'goes_on' | 'unread' | 'void';

export async function dueCallbacks(
  parent: string,
  callbacks: readonly Callback[],
  deps: DueDeps,
): Promise<DueCallbacks> {
  const sorted = await Promise.all(
    callbacks.map(async (callback) => ({ callback, state: await stateOf(callback, deps) })),
  );
  const those = (state: ChildState) => sorted.filter((each) => each.state === state).map(({ callback }) => callback);
  const ended = those('ended');
  const nothing = those('void');
  const goesOn = those('goes_on').length > 0;
  const unread = those('unread').length > 0;
  const summary = deps.sessions.get(parent);
  if (summary === undefined) {
    return (await deps.isGone(parent))
      ? { due: ended, void: nothing, goesOn, unread }
      : { due: [], void: nothing, goesOn, unread: true };
  }
  if (isSessionLive(summary.status)) return { due: [], void: nothing, goesOn: true, unread };
  if (summary.outcome !== 'stopped') return { due: ended, void: nothing, goesOn, unread };
  const outcomes = ended.map(({ child }) => deps.sessions.get(child));
  const wasClosed = deps.wasClosed(summary);
  // What a person stopped stays so, whatever had ended by then; what continued after that is news.
  const isNews = outcomes.some(
    (child) =>
      child !== undefined && child.outcome !== 'stopped' && (wasClosed || child.updated_at > summary.updated_at),
  );
  if (isNews) return { due: ended, void: nothing, goesOn, unread };
  // What was stopped together with its parent is no reason to tell that, ever.
  const stopped = ended.filter((_, at) => outcomes[at]?.outcome === 'stopped');
  return { due: [], void: [...nothing, ...stopped], goesOn, unread };
}

async function stateOf(
  { parent, child }: Callback,
  { sessions, isGone, willGoOn, wasClosed }: DueDeps,
): Promise<ChildState> {
  const session = sessions.get(child);
  if (session === undefined) return (await isGone(child)) ? 'void' : 'unread';
  // Whoever can write into the store could have any session woken otherwise.
  if (session.parent_session_id !== parent) return 'void';
  if (isSessionLive(session.status)) return 'goes_on';
  // Where a person stopped it, no one knows whether it ever continues.
  const isStopped = session.outcome === 'stopped' && !wasClosed(session);
  return !isStopped && willGoOn(child) ? 'goes_on' : 'ended';
}

/** Whether the folder of a record is gone: one that is not listed may be unreadable for a moment, or with it the whole store. */
export async function isDeleted(recordPath: string): Promise<boolean> {
  const folder = path.dirname(recordPath);
  return !(await isThere(folder)) && isThere(path.dirname(folder));
}

function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
}
