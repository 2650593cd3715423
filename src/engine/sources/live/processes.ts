import { readFile, stat } from 'node:fs/promises';
import { isAlive, startTimeOf } from '../../process/identity/identity.ts';

/** Queries the system about processes that a store names. */
export interface ProcessProbe {
  /** `start`: start time as in field 22 of `/proc/<pid>/stat`; `null`: unknown. */
  isAlive(pid: number, start: string | null): Promise<boolean>;
  /** Process that holds a lock on the file; `null` if none does, `undefined` if unknown. */
  lockHolder(file: string): Promise<number | null | undefined>;
}

export const systemProcesses: ProcessProbe = {
  async isAlive(pid, start) {
    if (!(await isAlive({ pid, startTime: null }))) return false;
    if (start === null || process.platform !== 'linux') return true;
    const now = await startTimeOf(pid);
    return now === null || now.slice(now.lastIndexOf(':') + 1) === start;
  },
  async lockHolder(file) {
    if (process.platform !== 'linux') return undefined;
    try {
      const { ino } = await stat(file);
      const locks = (await readFile('/proc/locks', 'latin1')).split('\n').map((line) => line.trim().split(/\s+/));
      // `1: FLOCK ADVISORY WRITE <pid> <device>:<inode> …`; waiting processes have an arrow in front.
      const held = locks.find((columns) => columns[5]?.split(':')[2] === String(ino));
      const pid = Number(held?.[4]);
      return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
    } catch {
      return undefined;
    }
  },
};
