import { Bench } from '../../test/support/fakeAgent/engine.ts';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import { median, percentile, type Row } from '../harness.ts';
import { Stamps, stamping } from './stamps.ts';

const perSecond = 100;
/** Updates of a session before the measured one, so that the code of both sides is compiled. */
const warmUp = 100;

/** Time that the daemon adds to an update, compared with a listener in the same process. */
export async function daemonLatency(count = 600, turns = 3): Promise<Row> {
  const added: number[] = [];
  const figures: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const [direct, remote] = [await inProcess(count), await throughDaemon(count, 1, perSecond)];
    const [a, b] = [percentile(direct.delays, 99), percentile(remote.delays, 99)];
    added.push(b - a);
    figures.push(`${b.toFixed(1)} against ${a.toFixed(1)} ms`);
  }
  const detail = `p99 of ${count} updates, ${perSecond} a second: ${figures.join(', ')}`;
  return { name: 'daemon: added to an update, p99', value: median(added), unit: 'ms', goal: 2, detail };
}

/** Delay of one client that follows ten sessions with 200 lines per second each. */
export async function daemonStreams(sessions = 10, seconds = 10): Promise<Row> {
  const { delays } = await throughDaemon(seconds * 200, sessions, 200);
  const detail = `${delays.length} updates, median ${median(delays).toFixed(1)} ms, p99 ${percentile(delays, 99).toFixed(1)} ms`;
  return { name: 'daemon: lag of 10 sessions, the longest', value: Math.max(...delays), unit: 'ms', goal: 100, detail };
}

async function inProcess(count: number): Promise<Stamps> {
  const bench = new Bench();
  const stamps = new Stamps();
  try {
    const engine = await bench.engine();
    const run = async (updates: number, arrivals: Stamps): Promise<void> => {
      const handle = await engine.start(bench.request(stamping(updates, perSecond)));
      handle.onUpdates((batch) => arrivals.addUpdates(batch));
      await handle.done;
      handle.dispose();
    };
    await run(warmUp, new Stamps());
    await run(count, stamps);
  } finally {
    await bench.close();
  }
  return stamps;
}

async function throughDaemon(count: number, sessions: number, rate: number): Promise<Stamps> {
  const place = new DaemonBench();
  const stamps = new Stamps();
  try {
    const connection = await place.connect();
    const run = async (expected: number, arrivals: Stamps): Promise<void> => {
      const { session_id } = await connection.call('start', place.startParams(stamping(expected, rate)));
      await new Promise<void>((resolve, reject) => {
        const followed = connection.follow(session_id, ({ updates, state }) => {
          arrivals.addUpdates(updates);
          if (!state.live) resolve();
          return Promise.resolve();
        });
        followed.then(({ state }) => (state.live ? undefined : resolve()), reject);
      });
    };
    await run(warmUp, new Stamps());
    await Promise.all(Array.from({ length: sessions }, () => run(count, stamps)));
  } finally {
    await place.close();
  }
  return stamps;
}
