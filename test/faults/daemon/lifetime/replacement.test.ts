import assert from 'node:assert/strict';
import path from 'node:path';
import type { DaemonError } from '../../../../src/client/errors.ts';
import type { DaemonLink } from '../../../../src/client/reconnectingLink.ts';
import { DaemonBench } from '../../../support/daemon/bench.ts';

const build = '999.0.0';

describe('a window newer than the daemon', function () {
  let place: DaemonBench;
  let link: DaemonLink<DaemonError>;
  beforeEach(() => {
    place = new DaemonBench();
    link = place.windowLink({ build });
  });
  afterEach(() => place.close());

  it('replaces it when nothing is running, and not before', async () => {
    const go = path.join(place.bench.dir, 'go');
    const steps = [{ init: true }, { until: go }, { say: 'after' }, { result: {} }];
    const { session_id } = await (await place.connect()).call('start', place.startParams(steps));
    const older = await link.status();
    await link.replaceOlder(build);
    assert.equal((await link.status()).pid, older.pid);
    await place.bench.go();
    await place.stateOf(session_id, (state) => !state.live);
    const replaced = new Promise<void>((resolve) => {
      link.reconnected.on(resolve);
    });
    await link.replaceOlder(build);
    await replaced;
    assert.notEqual((await link.status()).pid, older.pid);
    const { state } = await (await link.connection()).follow(session_id, () => Promise.resolve());
    assert.equal(state.summary.outcome, 'completed');
  });

  it('keeps one of its own version', async () => {
    const { pid, version } = await link.status();
    await link.replaceOlder(version);
    assert.equal((await link.status()).pid, pid);
  });
});
