import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

function trySignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Whether a process of the group is running. Ignores zombies, because some init processes reap late. */
export function isGroupAlive(group: number): boolean {
  if (process.platform === 'win32') return trySignal(group, 0);
  if (process.platform !== 'linux') return trySignal(-group, 0);
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

/** Kills the group at once, when there is no time to wait. */
export function killGroup(group: number): void {
  // Windows has no groups, but finds the children of a running process.
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(group), '/t', '/f'], { stdio: 'ignore' });
  else trySignal(-group, 'SIGKILL');
}

/** Signals the group's leader, waits for the group, and kills what is left after `patience` milliseconds. */
export async function endGroup(leader: number, patience = 8000): Promise<void> {
  trySignal(leader, 'SIGTERM');
  const until = performance.now() + patience;
  while (isGroupAlive(leader)) {
    if (performance.now() > until) killGroup(leader);
    await delay(50);
  }
}
