import { randomBytes } from 'node:crypto';
import { CoordinatorError } from '../../coordinator/errors.ts';
import type { Log } from '../../engine/api.ts';
import { joinCoordinator, type JoinedCoordinator } from '../../engine/coordinator/join.ts';
import { isRunOver } from '../../model/session/status.ts';

/**
 * Has the run stopped that a session is in, wherever its runner is, and begins no coordinator for it. False where no one
 * coordinates, or the session is in no run of the queue. @throws CoordinatorError
 */
export async function stopQueued(storeDir: string, session: string, log: Log): Promise<boolean> {
  const joined = await joinOther(storeDir, log);
  if (joined === undefined) return false;
  try {
    const run = (await joined.link.runs({ session_id: session })).find(({ status }) => !isRunOver(status));
    if (run !== undefined) await joined.link.stopRun(run.run_id);
    return run !== undefined;
  } finally {
    await joined.close();
  }
}

async function joinOther(storeDir: string, log: Log): Promise<JoinedCoordinator | undefined> {
  const randomHex = (digits: number): string => randomBytes(digits).toString('hex').slice(0, digits);
  const deps = { clock: Date.now, monotonic: () => performance.now(), randomHex, log };
  try {
    return await joinCoordinator(storeDir, deps, { host: false });
  } catch (error) {
    if (CoordinatorError.is(error, 'unreachable')) return undefined;
    throw error;
  }
}
