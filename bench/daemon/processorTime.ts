import { readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10;

/** Milliseconds of all threads of a process so far, in user and system mode. Only Linux tells them in a file. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
