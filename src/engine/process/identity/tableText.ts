/** A living process. The start time distinguishes it from others with the same pid. */
export interface ProcessInfo {
  readonly pid: number;
  /** As in `ProcessIdentity`; compare for equality only. */
  readonly startTime: string;
  readonly ppid: number;
  /** 0 on Windows, which has no process groups. */
  readonly pgid: number;
}

export const psColumns = 'pid=,ppid=,pgid=,stat=,lstart=';

export function parsePs(stdout: string): ProcessInfo[] {
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null || match[4]?.startsWith('Z') === true) return [];
    const [pid, ppid, pgid] = [Number(match[1]), Number(match[2]), Number(match[3])];
    return [{ pid, ppid, pgid, startTime: match[5] ?? '' }];
  });
}

/** PowerShell columns: pid, parent and microseconds since 1970 in UTC, which does not depend on the time zone. */
export function cimColumns(pid: number | null): string {
  const filter = pid === null ? '' : ` -Filter "ProcessId=${pid}"`;
  const start = `[int64](($_.CreationDate.ToUniversalTime() - [datetime]'1970-01-01').Ticks / 10)`;
  return `Get-CimInstance Win32_Process${filter} | Where-Object CreationDate | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $(${start})" }`;
}

export function parseCim(stdout: string): ProcessInfo[] {
  return stdout.split(/\r?\n/).flatMap((line) => {
    const match = /^(\d+) (\d+) (\d+)\s*$/.exec(line);
    if (match === null) return [];
    return [{ pid: Number(match[1]), ppid: Number(match[2]), pgid: 0, startTime: match[3] ?? '' }];
  });
}

export const wmicColumns = ['process', 'get', 'CreationDate,ParentProcessId,ProcessId'];

/** Columns are ordered by name; dates look like `20260131235959.123456+060`, with the offset in minutes. */
export function parseWmic(stdout: string): ProcessInfo[] {
  return stdout.split(/\r?\n/).flatMap((line) => {
    const match = /^(\d{14})\.(\d{6})([+-]\d{3})\s+(\d+)\s+(\d+)\s*$/.exec(line.trim());
    if (match === null) return [];
    const [, moment = '', micros = '', offset = '', ppid, pid] = match;
    const iso = moment.replace(/^(.{4})(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z');
    const startTime = String(BigInt(Date.parse(iso) - Number(offset) * 60_000) * 1000n + BigInt(micros));
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: 0, startTime }];
  });
}
