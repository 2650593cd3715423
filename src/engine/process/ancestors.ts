import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Ancestor {
  readonly pid: number;
  /** Name of the program. */
  readonly name: string;
}

/** More than any real chain of parents. */
const maxAncestors = 64;

/** A process and its ancestors, nearest first, as far as the system reports them. */
export async function ancestorsOf(pid: number): Promise<readonly Ancestor[]> {
  const found: Ancestor[] = [];
  for (let at = pid; at > 1 && found.length < maxAncestors;) {
    const process = await lookUp(at);
    if (process === undefined) break;
    found.push({ pid: at, name: process.name });
    at = process.parent;
  }
  return found;
}

async function lookUp(pid: number): Promise<{ readonly name: string; readonly parent: number } | undefined> {
  try {
    if (process.platform === 'linux') return fromStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (process.platform === 'win32') return undefined;
    const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,comm=', '-p', String(pid)]);
    const [, parent = '', name = ''] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout) ?? [];
    return parent === '' ? undefined : { name: name.slice(name.lastIndexOf('/') + 1), parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** `<pid> (<name>) <state> <parent> …`; the name may contain any character. */
function fromStat(stat: string): { readonly name: string; readonly parent: number } | undefined {
  const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+) /s.exec(stat) ?? [];
  return parent === '' ? undefined : { name, parent: Number(parent) };
}
