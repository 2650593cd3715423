import { writeFile } from 'node:fs/promises';
import { isAlive } from '../../src/engine/process/identity/identity.ts';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import { serializeRecordLine } from '../../src/formats/record.ts';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import { aSession, wholeSession } from '../../test/support/sessions/records.ts';
import { silentLog } from '../../test/support/silentLog.ts';
import { until } from '../../test/support/until.ts';
import { median, type Row } from '../harness.ts';
import { processorTime } from './processorTime.ts';

/**
 * Time without a running daemon until a window has its first list: the daemon's sessions, and stored ones. The first
 * start of a build is measured separately, because it compiles the code.
 */
export async function daemonStart(sessions = 200, starts = 7): Promise<Row> {
  const place = new DaemonBench();
  try {
    await fill(place.store, sessions);
    const first = await start(place, sessions);
    const times: number[] = [];
    const busy: number[] = [];
    for (let index = 0; index < starts; index += 1) {
      const { ms, processorMs } = await start(place, sessions);
      times.push(ms);
      busy.push(processorMs);
    }
    const best = `best ${Math.min(...times).toFixed(0)} ms of ${starts} starts, ${first.ms.toFixed(0)} ms the first time`;
    const detail = `${best}; ${median(busy).toFixed(0)} ms of processor time, ${sessions} sessions`;
    return { name: 'daemon: cold start to the first list', value: median(times), unit: 'ms', goal: 400, detail };
  } finally {
    await place.close();
  }
}

async function start(place: DaemonBench, sessions: number): Promise<{ ms: number; processorMs: number }> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  const listed = new RecordStore(place.store, { clock: Date.now, log: silentLog }).list();
  const connection = await place.connect();
  await connection.call('watch', { events: false });
  if ((await listed).length !== sessions) throw new Error('not every session was listed');
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(used);
  const { pid } = connection.daemon;
  const daemon = process.platform === 'linux' ? await processorTime(pid) : NaN;
  await connection.call('retire', { when: 'idle' });
  await until('the daemon to exit', async () => !(await isAlive({ pid, startTime: null })));
  return { ms, processorMs: (user + system) / 1000 + daemon };
}

async function fill(dir: string, sessions: number): Promise<void> {
  const store = new RecordStore(dir, { clock: Date.now, log: silentLog });
  for (let index = 0; index < sessions; index += 1) {
    const id = `ses_${index.toString(16).padStart(12, '0')}`;
    await (await store.create(aSession({ session_id: id }))).close();
    await writeFile(
      store.path(id),
      wholeSession(20, id)
        .map((line) => `${serializeRecordLine(line)}\n`)
        .join(''),
    );
  }
}
