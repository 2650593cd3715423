import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** Time for daemons to stop their agents and exit, in ms. */
const patienceMs = 10_000;

/** Pids of Vitrine daemons with a store in the folder, by their arguments. Empty on Windows. */
export function daemonsIn(folder: string): number[] {
  if (process.platform === 'win32') return [];
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, state = '', command = ''] = /^\s*(\d+) (\S+)\s+(.*)$/.exec(line) ?? [];
    const isDaemon = /\bdaemon\.js\b.* --store /.test(command) && command.includes(folder) && !state.startsWith('Z');
    return pid !== undefined && isDaemon ? [Number(pid)] : [];
  });
}

/** Sends SIGTERM, like a system shutdown; kills those that do not exit. */
export async function endDaemons(folder: string): Promise<void> {
  for (const pid of daemonsIn(folder)) end(pid, 'SIGTERM');
  const until = performance.now() + patienceMs;
  while (daemonsIn(folder).length > 0 && performance.now() < until) await delay(100);
  for (const pid of daemonsIn(folder)) end(pid, 'SIGKILL');
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already exited.
  }
}
