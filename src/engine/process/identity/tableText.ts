/** A living process. Its start is known, so that it cannot be mistaken for another with the same pid. */
export interface ProcessInfo {
  readonly pid: number;
  /** As in `ProcessIdentity`; only ever compared for equality. */
  readonly startTime: string;
  readonly ppid: number;
  /** 0 on Windows, which has no groups. */
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

/** For PowerShell: pid, parent and microseconds since 1970 in UTC, which no change of time zone alters. */
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

/** A table with columns in the order of their names; dates as `20260131235959.123456+060` with the offset in minutes. */
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
