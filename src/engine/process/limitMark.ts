import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux keeps and inherits the limit of resident memory, and has not enforced it since 2.4.30. */
const line = /^Max resident set\s+(\d+)\s/m;
const timeoutMs = 2000;

/** In bytes: 4 PiB and more, so that no one else sets the same one, and exact as a number. */
function limitOf(marker: string): string {
  const hash = createHash('sha256').update(marker).digest();
  return String(2 ** 52 + hash.readUIntBE(0, 6));
}

/**
 * Marks a process by a resource limit that everything it starts from now on inherits, also with an emptied environment, in a
 * session of its own, and without its parent. Only Linux, and only where util-linux is installed. Never rejects.
 */
export async function setMark(pid: number, marker: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const args = ['--pid', String(pid), `--rss=${limitOf(marker)}:`];
  await promisify(execFile)('/usr/bin/prlimit', args, { env: {}, timeout: timeoutMs }).catch(() => undefined);
}

export async function bearsMark(pid: number, marker: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const limits = await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => '');
  return line.exec(limits)?.[1] === limitOf(marker);
}
