import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Whether a process of the group runs. A zombie does not: some init processes reap late. */
export function groupAlive(group: number): boolean {
  if (process.platform === 'win32') return signal(group, 0);
  if (process.platform !== 'linux') return signal(-group, 0);
  return readdirSync('/proc').some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const [state, , pgrp] = (readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ').pop() ?? '').split(' ');
      return Number(pgrp) === group && state !== 'Z';
    } catch {
      return false;
    }
  });
}

/** Kills the group at once: for when there is no time left to wait. */
export function killGroup(group: number): void {
  // Windows has no groups, but knows the children of a process that still runs.
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(group), '/t', '/f'], { stdio: 'ignore' });
  else signal(-group, 'SIGKILL');
}

/** Asks the group's leader to end, waits for the whole group, and kills what is left after `patience` milliseconds. */
export async function endGroup(leader: number, patience = 8000): Promise<void> {
  signal(leader, 'SIGTERM');
  const until = performance.now() + patience;
  while (groupAlive(leader)) {
    if (performance.now() > until) killGroup(leader);
    await delay(50);
  }
}
