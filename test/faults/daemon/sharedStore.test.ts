import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { thisMachine } from '../../../src/engine/process/identity/holder.ts';
import { daemonProtocol } from '../../../src/protocol/daemon/version.ts';
import { ownDaemonFolder } from '../../../src/transport/daemonFolder.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../support/sessions/records.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { until } from '../../support/until.ts';

describe('a store shared by two machines', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  /** As a process of another machine leaves it while it runs. */
  async function leaseOfOther(folder: string): Promise<void> {
    const holder = { ...(await thisMachine()), pid: 4711, startTime: '1', hostname: 'box', machine: 'another' };
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path.join(folder, 'writer.9.json'), JSON.stringify({ ...holder, at: new Date().toISOString() }));
  }

  it('has a daemon on each, and shows runs of the other one as their records grow', async () => {
    const socket = path.join(place.folder, 'socket-4711');
    await leaseOfOther(place.folder);
    const endpoint = { address: socket, token: '0'.repeat(64), pid: 4711 };
    await writeFile(path.join(place.folder, 'endpoint.json'), JSON.stringify(endpoint), { mode: 0o600 });

    const fixture = await temporaryStore();
    const writer = await fixture.store.create(aSession({ status: 'running', hostname: 'box' }));
    await appendAll(writer, wholeSession(5).slice(2, -1));
    await writer.flush();
    const record = await readFile(fixture.store.path(sessionId), 'utf8');
    await writer.close();
    await fixture.remove();
    const folder = path.join(place.store, 'sessions', sessionId);
    await leaseOfOther(folder);
    await writeFile(path.join(folder, 'record.jsonl'), record);

    const connection = await place.connect();
    const [again] = await Promise.all([place.connect(), place.connect()]);
    assert.equal(again.daemon.pid, connection.daemon.pid);
    let total = 0;
    const { state } = await connection.follow(sessionId, (update) => {
      total = update.state.total;
      return Promise.resolve();
    });
    assert.deepEqual([state.live, state.summary.status, state.summary.hostname], [false, 'running', 'box']);
    await appendFile(path.join(folder, 'record.jsonl'), `${JSON.stringify(entryLine(state.total, 'from the box'))}\n`);
    await until('what the other machine wrote', () => total > state.total);

    const renamed = connection.call('rename', { session_id: sessionId, title: 'x' });
    await assert.rejects(renamed, {
      code: 'session_busy',
      detail: /^Process 4711 on box is writing the record of this session\. /,
    });
    const { code, stdout } = await place.vitrine('show', sessionId).ended;
    assert.match(stdout, /from the box/, `exit code ${code}`);
    const started = await connection.call(
      'start',
      place.startParams([{ init: true }, { say: 'here' }, { result: {} }]),
    );
    await place.stateOf(started.session_id, ({ live }) => !live);

    const left = await readFile(path.join(place.folder, 'endpoint.json'), 'utf8');
    assert.deepEqual(JSON.parse(left), endpoint, 'the other daemon is left alone');
    await stat(path.join(ownDaemonFolder(place.store, daemonProtocol), 'endpoint.json'));
    await connection.call('retire', { when: 'now' });
    await connection.closed;
    // The lease of a machine that is gone lapses.
    const lease = path.join(place.folder, 'writer.9.json');
    await utimes(lease, 0, 0);
    const next = await place.connect();
    assert.notEqual(next.daemon.pid, connection.daemon.pid);
    assert.notEqual(await readFile(path.join(place.folder, 'endpoint.json'), 'utf8'), left);
  });
});
