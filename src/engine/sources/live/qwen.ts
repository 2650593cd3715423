import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { count, field, nonEmpty } from '../../../agents/shared/guards.ts';
import { parse } from '../../../agents/shared/normalizer/lineLog.ts';
import type { StoreRoot } from '../../../agents/stores/storeFormat.ts';
import type { SessionFiles } from '../groups.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';

/** One file per process in a terminal. It contains a token, which is ignored. */
const registryFile = /^\d{1,10}\.json$/;

/** `sessions/<pid>.json` next to the projects folder, by native id. It has no activity status. */
export async function qwenMarks(
  roots: readonly StoreRoot[],
  _: readonly SessionFiles[],
  processes: ProcessProbe,
): Promise<Map<string, ProcessMark>> {
  const marks = new Map<string, ProcessMark>();
  for (const folder of new Set(roots.map((root) => path.join(path.dirname(root.path), 'sessions')))) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((candidate) => registryFile.test(candidate))) {
      const entry = parse(await readFile(path.join(folder, name), 'utf8').catch(() => ''));
      const session = nonEmpty(field(entry, 'sessionId'));
      const pid = count(field(entry, 'pid'));
      if (session === undefined || pid === undefined) continue;
      // `<boot id>:<start time of the process>`.
      const start = nonEmpty(field(entry, 'procStart'))?.split(':').at(-1) ?? null;
      if (await processes.isAlive(pid, start)) marks.set(session, { pid, source: 'process' });
    }
  }
  return marks;
}
