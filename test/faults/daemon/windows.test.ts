import assert from 'node:assert/strict';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { until } from '../../support/until.ts';

type WhenWindowsClose = 'finishRuns' | 'stopRuns';

const longRun = [{ init: true }, { say: 'before' }, { forever: true }];

describe('closing the last window', function () {
  const places: DaemonBench[] = [];
  afterEach(() => Promise.all(places.splice(0).map((place) => place.close())));

  const newPlace = (): DaemonBench => {
    const place = new DaemonBench();
    places.push(place);
    return place;
  };

  async function openWindow(place: DaemonBench, when_windows_close: WhenWindowsClose): Promise<DaemonConnection> {
    const window = await place.connect({ client: { kind: 'window', person: true } });
    const { context } = place.startParams(longRun);
    await window.call('announce', { contexts: [context], when_windows_close });
    return window;
  }

  async function startRun(place: DaemonBench, window: DaemonConnection): Promise<string> {
    const { session_id } = await window.call('start', place.startParams(longRun));
    await place.stateOf(session_id, ({ total }) => total > 1);
    return session_id;
  }

  const runs = async (place: DaemonBench): Promise<number> => (await (await place.connect()).call('status', {})).runs;

  it('stops the runs only if the setting says so and no window opens within 20 seconds', async () => {
    const [finishing, reloading, several, stopping] = [newPlace(), newPlace(), newPlace(), newPlace()];
    const finished = await openWindow(finishing, 'finishRuns');
    await startRun(finishing, finished);
    finished.close();

    const reloaded = await openWindow(reloading, 'stopRuns');
    await startRun(reloading, reloaded);
    reloaded.close();
    await openWindow(reloading, 'stopRuns');

    const first = await openWindow(several, 'stopRuns');
    await openWindow(several, 'stopRuns');
    await startRun(several, first);
    first.close();

    // This one closes last: by the time its run is stopped, the others would have been.
    const last = await openWindow(stopping, 'stopRuns');
    const session_id = await startRun(stopping, last);
    // A terminal is no window, and keeps no run.
    const terminal = await stopping.connect({ client: { kind: 'terminal', person: true } });
    const closed = performance.now();
    last.close();
    await until('the run to be stopped', async () => (await terminal.call('status', {})).runs === 0);
    assert.ok(performance.now() - closed > 19_000, 'a window that reloads is waited for');
    const { summary } = await stopping.stateOf(session_id, ({ live }) => !live);
    assert.equal(summary.outcome, 'stopped');
    assert.deepEqual(await Promise.all([finishing, reloading, several].map(runs)), [1, 1, 1]);
  });
});
