import { findProcess } from './table.ts';

/**
 * Identifies a process: pids are reused, pids with their start time are not. `startTime` is `null` if the system does
 * not report it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | null;
}

let own: Promise<ProcessIdentity> | undefined;

/** Cached: some systems take a second. */
export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= identify(process.pid);
  return own;
}

/** Never rejects, because the caller must keep control of an agent that it just started. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startTime: await startTimeOf(pid) };
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity | null): boolean {
  return a.pid === b?.pid && a.startTime === b.startTime;
}

/** Start time of a process in the system's format; `null` if unknown or if there is no such process. */
export async function startTimeOf(pid: number): Promise<string | null> {
  return (await findProcess(pid))?.startTime ?? null;
}

/** Whether this very process is still running. A zombie is not. */
export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  if (!signalReaches(pid)) return false;
  const found = pid === process.pid ? await ownIdentity() : await findProcess(pid);
  if (found === null) return false;
  const now = found?.startTime ?? null;
  return now === null || startTime === null || now === startTime;
}

function signalReaches(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
