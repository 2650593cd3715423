import { findProcess } from './table.ts';

/**
 * A process beyond doubt: a pid is used again, a pid together with its start is not. `startTime` is `null` where the
 * system does not tell it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | null;
}

let own: Promise<ProcessIdentity> | undefined;

/** Asked once: some systems take a second to tell it. */
export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= identify(process.pid);
  return own;
}

/** Never rejects: an agent that was just started must stay in our hands. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startTime: await startTimeOf(pid) };
}

export function isSame(a: ProcessIdentity, b: ProcessIdentity | null): boolean {
  return a.pid === b?.pid && a.startTime === b.startTime;
}

/** The start of a process as the system names it; `null` where that is not known or there is no such process. */
export async function startTimeOf(pid: number): Promise<string | null> {
  return (await findProcess(pid))?.startTime ?? null;
}

/** Whether that very process still runs. A zombie does not. */
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
    // EPERM: it is there and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
