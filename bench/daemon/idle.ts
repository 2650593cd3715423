import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import type { Row } from '../harness.ts';
import { processorTime } from './processorTime.ts';

/** Time after the last run until the daemon has collected its garbage and scanned changed stores, in ms. */
const settleMs = 75_000;
/** Time for the last answers to the client, in ms. */
const endMs = 3000;

/** Processor time of an idle daemon and its client that follow 20 ended sessions. */
export async function daemonIdle(sessions = 20, seconds = 60): Promise<readonly Row[]> {
  // Only Linux has a file with the processor time of another process.
  if (process.platform !== 'linux') return [];
  const place = new DaemonBench();
  try {
    const connection = await place.connect({ client: { kind: 'window', person: true } });
    await connection.call('watch', { events: true });
    // As a window does; few people have all agents, so most of their stores are missing.
    await mkdir(path.join(place.bench.dir, '.claude/projects'), { recursive: true });
    await connection.call('watchSources', {
      home: place.bench.dir,
      variables: {},
      scope: 'everything',
      folders: [],
      limit: 1000,
    });
    for (let index = 0; index < sessions; index += 1) {
      const params = place.startParams([{ init: true }, { say: 'done' }, { result: {} }]);
      const { session_id } = await connection.call('start', params);
      await place.stateOf(session_id, ({ live }) => !live);
    }
    await delay(endMs);
    const ended = await processorTime(connection.daemon.pid);
    await delay(settleMs - endMs);
    const before = { daemon: await processorTime(connection.daemon.pid), client: process.cpuUsage() };
    await delay(seconds * 1000);
    const daemon = ((await processorTime(connection.daemon.pid)) - before.daemon) / 1000 / seconds;
    const { user, system } = process.cpuUsage(before.client);
    const client = (user + system) / 1e6 / seconds;
    const detail = `of a core, over ${seconds} s with ${sessions} sessions`;
    const settling = ((before.daemon - ended) / (settleMs - endMs)) * 100;
    const settled = `${detail}; in the ${(settleMs - endMs) / 1000} s before, after the last run: ${settling.toFixed(3)} %`;
    return [
      { name: 'daemon: processor time while idle', value: daemon * 100, unit: '%', goal: 0.1, detail: settled },
      { name: 'daemon: processor time of an idle client', value: client * 100, unit: '%', goal: 0.1, detail },
    ];
  } finally {
    await place.close();
  }
}
