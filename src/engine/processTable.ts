import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A living process. Its start is known, so that it cannot be mistaken for another with the same pid. */
export interface ProcessInfo {
  readonly pid: number;
  /** As in `ProcessIdentity`; only ever compared for equality. */
  readonly startTime: string;
  readonly ppid: number;
  /** 0 on Windows, which has no groups. */
  readonly pgid: number;
}

const run = promisify(execFile);
const linux = process.platform === 'linux';
const windows = process.platform === 'win32';

/** Start times count from boot, so that they mean nothing after the next one. */
let bootId: string | undefined;
function boot(): string {
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    bootId = '';
  }
  return bootId;
}

/** The program's name is in parentheses and may hold any character, so fields count from the last one. A zombie is dead. */
function parseStat(pid: number, stat: string): ProcessInfo | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid] = fields;
  const ticks = fields[19];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, startTime: `${boot()}:${ticks}`, ppid: Number(ppid), pgid: Number(pgid) };
}

async function statOf(pid: number): Promise<ProcessInfo | undefined> {
  try {
    return parseStat(pid, await readFile(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

async function listByPs(): Promise<ProcessInfo[]> {
  const options = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 64 << 20 };
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], options);
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null || match[4]?.startsWith('Z') === true) return [];
    return [{ pid: Number(match[1]), ppid: Number(match[2]), pgid: Number(match[3]), startTime: match[5] ?? '' }];
  });
}

async function listByCim(): Promise<ProcessInfo[]> {
  const script =
    'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';
  const options = { maxBuffer: 64 << 20, windowsHide: true };
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], options);
  return stdout.split(/\r?\n/).flatMap((line) => {
    const [pid, ppid, ticks] = line.split(' ');
    return ticks ? [{ pid: Number(pid), ppid: Number(ppid), pgid: 0, startTime: ticks }] : [];
  });
}

/** Every living process that can be seen. */
export async function listProcesses(): Promise<ProcessInfo[]> {
  if (windows) return listByCim();
  if (!linux) return listByPs();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return (await Promise.all(pids.map(statOf))).filter((info) => info !== undefined);
}

/** The living process with this pid. */
export async function findProcess(pid: number): Promise<ProcessInfo | undefined> {
  if (linux) return statOf(pid);
  return (await listProcesses()).find((each) => each.pid === pid);
}

/** Whether the process was started with `NAME=value` in its environment. False where that cannot be seen. */
export async function wasStartedWith(pid: number, assignment: string): Promise<boolean> {
  if (!linux) return false;
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(assignment);
  } catch {
    return false;
  }
}
