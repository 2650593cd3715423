import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { StoreRoot } from '../../../agents/stores/storeFormat.ts';
import type { SessionFiles } from '../groups.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';

const lockFile = /^inuse\.(\d{1,10})\.lock$/;

/** `inuse.<pid>.lock` in each session's folder. It stays after a crash, so only a living process counts. */
export async function copilotMarks(
  _: readonly StoreRoot[],
  sessions: readonly SessionFiles[],
  processes: ProcessProbe,
): Promise<Map<string, ProcessMark>> {
  const marks = new Map<string, ProcessMark>();
  for (const { session, files } of sessions) {
    const [file] = files;
    if (file === undefined) continue;
    const folder = path.dirname(file.path);
    for (const name of await readdir(folder).catch(() => [])) {
      const pid = Number(lockFile.exec(name)?.[1]);
      if (!Number.isSafeInteger(pid) || !(await processes.isAlive(pid, null))) continue;
      // Pids are reused: the process must also hold a lock on the file next to it.
      const holder = await processes.lockHolder(path.join(folder, `inuse.${pid}.hold`));
      if (holder !== null) marks.set(session, { pid, source: 'lock' });
    }
  }
  return marks;
}
