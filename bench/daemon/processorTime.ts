import { readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10;

/** Milliseconds of processor time of all threads so far, user and system. Linux only. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
