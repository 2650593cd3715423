import { descendantsOf } from '../../insight/session/descendants.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

interface SessionStopper {
  list(): Promise<readonly SessionSummary[]>;
  stop(sessionId: string): Promise<void>;
}

/** Descendants of a session that are running or waiting. */
export async function liveDescendants(
  engine: Pick<SessionStopper, 'list'>,
  id: string,
): Promise<readonly SessionSummary[]> {
  return descendantsOf(await engine.list(), id).filter(({ status }) => isSessionLive(status));
}

/** Stops all descendants of a session, including those that start meanwhile. */
export async function stopChildren(engine: SessionStopper, id: string): Promise<void> {
  // Sessions in other processes cannot be stopped, so each is tried only once.
  const reported = new Set<string>();
  for (;;) {
    const liveBelow = (await liveDescendants(engine, id)).filter(({ session_id }) => !reported.has(session_id));
    if (liveBelow.length === 0) return;
    for (const { session_id } of liveBelow) reported.add(session_id);
    await Promise.all(liveBelow.map(({ session_id }) => engine.stop(session_id)));
  }
}

/** Stops a session first, so that it starts no more, and then its descendants. Use where no one can be asked. */
export async function stopSessionTree(engine: SessionStopper, id: string): Promise<void> {
  await engine.stop(id);
  await stopChildren(engine, id);
}
