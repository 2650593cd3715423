import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * A process beyond doubt: a pid is used again, a pid together with its start is not. `startTime` is `null` where the
 * system does not tell it (Windows).
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | null;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: await startTimeOf(process.pid) };
}

/** The start of a process as the system names it; `null` where that is not known or there is no such process. */
export async function startTimeOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return (await procStat(pid))?.startTime ?? null;
  if (process.platform === 'win32') return null;
  return await startTimeByPs(pid);
}

/** Whether that very process still runs. A zombie does not. */
export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  if (!signalReaches(pid)) return false;
  if (process.platform === 'linux') {
    const stat = await procStat(pid);
    if (stat === null) return signalReaches(pid);
    return !'ZX'.includes(stat.state) && (startTime === null || startTime === stat.startTime);
  }
  const now = startTime === null ? null : await startTimeOf(pid);
  return now === null || now === startTime;
}

function signalReaches(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

let bootId: Promise<string> | undefined;

/** Fields 3 and 22 of the line; the name in field 2 may hold spaces and brackets. Ticks since boot, so with the boot. */
async function procStat(pid: number): Promise<{ state: string; startTime: string } | null> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === undefined || ticks === undefined) return null;
    bootId ??= readFile('/proc/sys/kernel/random/boot_id', 'latin1').then(
      (text) => text.trim(),
      () => '',
    );
    return { state, startTime: `${await bootId}:${ticks}` };
  } catch {
    return null;
  }
}

async function startTimeByPs(pid: number): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      timeout: 5000,
    });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}
