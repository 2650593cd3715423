import { descendantsOf } from '../../insight/session/descendants.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

interface Stopping {
  list(): Promise<readonly SessionSummary[]>;
  stop(sessionId: string): Promise<void>;
}

/** What a session started, and what that started, as far as it still runs. */
export async function liveDescendants(engine: Pick<Stopping, 'list'>, id: string): Promise<readonly SessionSummary[]> {
  return descendantsOf(await engine.list(), id).filter(({ status }) => isSessionLive(status));
}

/** Stops all that a session started; what was started meanwhile, too. */
export async function stopChildren(engine: Stopping, id: string): Promise<void> {
  // What runs in another process stays as it is.
  const reported = new Set<string>();
  for (;;) {
    const below = (await liveDescendants(engine, id)).filter(({ session_id }) => !reported.has(session_id));
    if (below.length === 0) return;
    for (const { session_id } of below) reported.add(session_id);
    await Promise.all(below.map(({ session_id }) => engine.stop(session_id)));
  }
}

/** Stops a session, so that it starts no more, and then all that it started. For where no one is there to be asked. */
export async function stopSessionTree(engine: Stopping, id: string): Promise<void> {
  await engine.stop(id);
  await stopChildren(engine, id);
}
