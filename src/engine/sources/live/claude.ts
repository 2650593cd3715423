import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from '../../../agents/shared/normalizer/lineLog.ts';
import { count, field, nonEmpty } from '../../../agents/shared/guards.ts';
import type { StoreRoot } from '../../../agents/stores/storeFormat.ts';
import type { LiveState } from '../../../model/observedState.ts';
import type { SessionFiles } from '../groups.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';

/** One file per process. Never read the key next to it. */
const registryFile = /^\d{1,10}\.json$/;

/** `sessions/<pid>.json` next to the projects folder, by native id. */
export async function claudeMarks(
  [root]: readonly StoreRoot[],
  _: readonly SessionFiles[],
  processes: ProcessProbe,
): Promise<Map<string, ProcessMark>> {
  const marks = new Map<string, ProcessMark>();
  if (root === undefined) return marks;
  const folder = path.join(path.dirname(root.path), 'sessions');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => registryFile.test(candidate))) {
    const entry = parse(await readFile(path.join(folder, name), 'utf8').catch(() => ''));
    const session = nonEmpty(field(entry, 'sessionId'));
    const pid = count(field(entry, 'pid'));
    const status = nonEmpty(field(entry, 'status'));
    // Files of older versions have no status and are not deleted.
    if (session === undefined || pid === undefined || status === undefined) continue;
    const start = nonEmpty(field(entry, 'procStart')) ?? null;
    if (!(await processes.isAlive(pid, start))) continue;
    const state = stateOf(status, nonEmpty(field(entry, 'waitingFor')));
    const since = count(field(entry, 'statusUpdatedAt'));
    marks.set(session, {
      pid,
      source: 'process',
      ...(state !== undefined && { state }),
      ...(since !== undefined && { since: new Date(Math.min(since, 8.64e15)).toISOString() }),
    });
  }
  return marks;
}

function stateOf(status: string, waitingFor: string | undefined): LiveState['state'] | undefined {
  if (status === 'idle') return 'idle';
  if (status === 'busy' || status === 'shell') return 'running';
  if (status !== 'waiting') return undefined;
  return waitingFor?.includes('permission') === true ? 'waiting_for_permission' : 'waiting_for_you';
}
