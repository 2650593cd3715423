import { readFile, stat } from 'node:fs/promises';
import { isAlive, startTimeOf } from '../../process/identity/identity.ts';

/** What is asked of the system about the processes that a store names. */
export interface ProcessProbe {
  /** `start`: when the process was started, as Linux counts it (field 22 of its `stat`); `null`: not known. */
  isAlive(pid: number, start: string | null): Promise<boolean>;
  /** The process that holds a lock on the file; `null` where none does, `undefined` where the system does not tell. */
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
      // `1: FLOCK ADVISORY WRITE <pid> <device>:<inode> …`; who waits for a lock has an arrow before it.
      const held = locks.find((columns) => columns[5]?.split(':')[2] === String(ino));
      const pid = Number(held?.[4]);
      return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
    } catch {
      return undefined;
    }
  },
};
