import assert from 'node:assert/strict';
import path from 'node:path';
import { findRuns } from '../../../src/client/machine/findRuns.ts';
import { openDaemons } from '../../../src/client/machine/openDaemons.ts';
import { StoreRuns } from '../../../src/client/machine/storeRuns.ts';
import { watchEndpoint } from '../../../src/client/machine/watchEndpoint.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { until } from '../../support/until.ts';

describe('runs on this machine', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  const warnings: string[] = [];
  afterEach(async () => {
    await place.close();
    assert.deepEqual(warnings.splice(0), []);
  });

  const observed = (onChange: () => void = () => undefined): StoreRuns =>
    new StoreRuns({
      storeDir: place.store,
      build: 'test',
      onChange,
      log: { warn: (message) => warnings.push(message) },
    });

  it('appear when a daemon starts, and again with the next one', async () => {
    let published = 0;
    const watch = watchEndpoint(place.store, () => (published += 1));
    try {
      const first = await place.connect();
      await until('the first daemon to be noticed', () => published > 0);
      await first.call('retire', { when: 'now' });
      await first.closed;
      const before = published;
      await place.connect();
      await until('the next daemon to be noticed', () => published > before);
    } finally {
      watch.dispose();
    }
  });

  it('are updated as they change, without polling', async () => {
    const connection = await place.connect();
    let changes = 0;
    const store = observed(() => (changes += 1));
    await store.connect();
    assert.deepEqual(store.liveSessions(), []);
    const { session_id } = await connection.call('start', place.startParams([{ init: true }, { forever: true }]));
    await until('the run to be told', () => store.liveSessions().length === 1);
    assert.equal(store.liveSessions()[0]?.project_dir, place.bench.cwd);
    const before = changes;
    await connection.call('stop', { session_id, kill: false });
    await until('the end to be told', () => store.liveSessions().length === 0);
    assert.ok(changes > before);
    store.dispose();
  });

  it('do not include observers, who do not keep the daemon alive', async () => {
    const connection = await place.connect();
    const store = observed();
    await store.connect();
    assert.equal((await connection.call('status', {})).clients, 1);
    await connection.call('retire', { when: 'idle' });
    await connection.closed;
    store.dispose();
  });

  it('are found and stopped, regardless of who started them, without starting a daemon', async () => {
    assert.deepEqual((await findRuns([place.store, path.join(place.store, 'none')], 'test')).runs, []);
    assert.equal(await place.connectRunning(), null);
    const connection = await place.connect();
    for (let index = 0; index < 3; index += 1)
      await connection.call('start', place.startParams([{ init: true }, { forever: true }]));
    const { runs, close } = await findRuns([place.store], 'test');
    assert.equal(runs.length, 3);
    await Promise.all(runs.map((run) => run.stop()));
    close();
    assert.equal((await connection.call('status', {})).runs, 0);
    const opened = await openDaemons(place.store, 'test');
    assert.equal(opened.length, 1);
    for (const daemonConnection of opened) daemonConnection.close();
  });
});
