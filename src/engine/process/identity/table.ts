import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { windowsProgram } from '../../programs/systemPrograms.ts';
import { cimColumns, parseCim, parsePs, parseWmic, psColumns, wmicColumns, type ProcessInfo } from './tableText.ts';

const run = promisify(execFile);
const isLinux = process.platform === 'linux';
const isWindows = process.platform === 'win32';
const queryTimeoutMs = 10_000;

/** Start times count from boot, so they are only valid until the next one. */
let bootId: string | undefined;
function readBootId(): string {
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    bootId = '';
  }
  return bootId;
}

/** Fields are counted from the last parenthesis: the name may contain any character. Zombies count as dead. */
function parseStat(pid: number, stat: string): ProcessInfo | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid] = fields;
  const ticks = fields[19];
  if (ticks === undefined || state === 'Z' || state === 'X') return null;
  return { pid, startTime: `${readBootId()}:${ticks}`, ppid: Number(ppid), pgid: Number(pgid) };
}

async function statOf(pid: number): Promise<ProcessInfo | null | undefined> {
  try {
    return parseStat(pid, await readFile(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

async function listByPs(selection: readonly string[]): Promise<ProcessInfo[]> {
  const options = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 64 << 20 };
  const { stdout } = await run('/bin/ps', [...selection, '-o', psColumns], { ...options, timeout: queryTimeoutMs });
  return parsePs(stdout);
}

/** PowerShell may be blocked, and newer systems lack WMIC. If one fails, the other is tried. */
async function listByCim(pid: number | null): Promise<ProcessInfo[]> {
  const options = { maxBuffer: 64 << 20, windowsHide: true, timeout: queryTimeoutMs };
  try {
    const script = cimColumns(pid);
    const args = ['-NoProfile', '-NonInteractive', '-Command', script];
    const listed = parseCim((await run(windowsProgram('powershell'), args, options)).stdout);
    // The list always contains the query itself, so an empty list means failure.
    if (listed.length > 0 || pid !== null) return listed;
  } catch {
    // The other program is tried next.
  }
  const listed = parseWmic((await run(windowsProgram('wmic'), wmicColumns, options)).stdout.replaceAll('\0', ''));
  if (listed.length === 0) throw new Error('Windows did not list its processes.');
  return pid === null ? listed : listed.filter((info) => info.pid === pid);
}

/** All visible living processes. @throws if the system does not list them */
export async function listProcesses(): Promise<ProcessInfo[]> {
  if (isWindows) return listByCim(null);
  if (!isLinux) return listByPs(['-A']);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return (await Promise.all(pids.map(statOf))).filter((info) => info !== undefined && info !== null);
}

/** The living process with this pid; `null` if there is none, `undefined` if unknown. */
export async function findProcess(pid: number): Promise<ProcessInfo | null | undefined> {
  if (isLinux) return statOf(pid);
  try {
    const listed = isWindows ? await listByCim(pid) : await listByPs(['-p', String(pid)]);
    return listed.find((info) => info.pid === pid) ?? null;
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    return !isWindows && error instanceof Error && 'code' in error && error.code === 1 ? null : undefined;
  }
}

/** Whether the process was started with `NAME=value` in its environment. False if that is not visible. */
export async function hasEnvironment(pid: number, assignment: string): Promise<boolean> {
  if (!isLinux) return false;
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(assignment);
  } catch {
    return false;
  }
}
