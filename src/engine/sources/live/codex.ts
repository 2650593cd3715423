import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { StoreRoot } from '../../../agents/stores/storeFormat.ts';
import type { SessionFiles } from '../groups.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';

const lockFile = /^([0-9a-f-]{36})\.lock$/i;

/**
 * `thread-writer-locks/<thread>.lock` next to the sessions folder. The file stays after a crash, so only a process that
 * holds the lock counts. If the system does not report the holder, the state is unknown.
 */
export async function codexMarks(
  [root]: readonly StoreRoot[],
  _: readonly SessionFiles[],
  processes: ProcessProbe,
): Promise<Map<string, ProcessMark>> {
  const marks = new Map<string, ProcessMark>();
  if (root === undefined) return marks;
  const folder = path.join(path.dirname(root.path), 'thread-writer-locks');
  for (const name of await readdir(folder).catch(() => [])) {
    const thread = lockFile.exec(name)?.[1];
    if (thread === undefined) continue;
    const pid = await processes.lockHolder(path.join(folder, name));
    if (typeof pid === 'number') marks.set(thread, { pid, source: 'lock' });
  }
  return marks;
}
