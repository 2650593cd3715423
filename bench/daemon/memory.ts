import { setTimeout as delay } from 'node:timers/promises';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import type { Row } from '../harness.ts';

/** Time after which a daemon's start is complete, in ms. */
const settleMs = 4000;

/** Resident memory of an idle daemon, without sessions and with ten silent ones. */
export async function daemonMemory(sessions = 10): Promise<Row[]> {
  const place = new DaemonBench();
  try {
    const connection = await place.connect();
    await delay(settleMs);
    const idle = (await connection.call('status', {})).rss / 1e6;
    for (let index = 0; index < sessions; index += 1) {
      const { session_id } = await connection.call(
        'start',
        place.startParams([{ init: true }, { say: 'quiet' }, { forever: true }]),
      );
      await connection.follow(session_id, () => Promise.resolve());
    }
    await delay(settleMs);
    const quiet = (await connection.call('status', {})).rss / 1e6;
    return [
      { name: 'daemon: memory, idle', value: idle, unit: 'MB', goal: 80, detail: 'resident, of it Node alone 43' },
      {
        name: `daemon: memory with ${sessions} quiet sessions`,
        value: quiet,
        unit: 'MB',
        goal: 120,
        detail: 'resident',
      },
    ];
  } finally {
    await place.close();
  }
}
