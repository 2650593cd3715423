import assert from 'node:assert/strict';
import { isAlive } from '../../../../src/engine/process/identity/identity.ts';
import { DaemonBench } from '../../../support/daemon/bench.ts';
import { until } from '../../../support/until.ts';

const reason = "Vitrine's background process was asked to stop.";

describe('stopping a daemon', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  for (const how of ['SIGTERM', 'SIGINT', 'SIGHUP', 'daemon stop --now'] as const) {
    it(`by ${how} stops its runs, records the reason in their sessions, and exits`, async () => {
      const first = await place.connect();
      const steps = [{ init: true }, { note: place.bench.pidFile }, { say: 'working' }, { forever: true }];
      const { session_id } = await first.call('start', place.startParams(steps));
      const agent = await place.bench.agentPid();
      if (how === 'daemon stop --now') {
        const { code, stdout } = await place.vitrine('daemon', 'stop', '--now').ended;
        assert.equal(code, 0);
        assert.match(stdout, /has stopped/);
      } else {
        process.kill(first.daemon.pid, how);
        await first.closed;
      }
      await until('the daemon to exit', async () => !(await isAlive({ pid: first.daemon.pid, startTime: null })));
      assert.equal(await isAlive({ pid: agent, startTime: null }), false);
      assert.match(place.log(), /The daemon has stopped\.\n$/);

      const second = await place.connect();
      const { state } = await second.follow(session_id, () => Promise.resolve());
      assert.equal(state.summary.status, 'stopped');
      assert.equal(state.summary.outcome, 'stopped');
      assert.equal(state.summary.reason, reason);
      const { entries } = await second.call('read', { session_id, from: 0, to: state.total });
      const last = entries.at(-1);
      assert.deepEqual([last?.content, last?.type], [reason, { kind: 'system_message', subtype: 'stopped' }]);
      const verified = await place.vitrine('verify', session_id).ended;
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);

      const { context, request } = place.startParams([{ init: true }, { say: 'again' }, { result: {} }]);
      await second.call('resume', { context, session_id, request: { prompt: request.prompt } });
      await place.stateOf(session_id, ({ live, summary }) => !live && summary.outcome === 'completed');
    });
  }

  it('rejects new runs with a reason while it waits for the last one to end', async () => {
    const connection = await place.connect();
    const { session_id } = await connection.call(
      'start',
      place.startParams([{ init: true }, { ask: { id: 'req-1' } }]),
    );
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    assert.deepEqual(await connection.call('retire', { when: 'idle' }), { runs: 1 });
    await assert.rejects(connection.call('start', place.startParams([{ init: true }])), /cannot start agents/);
    const answer = { kind: 'allow', scope: 'once' } as const;
    assert.deepEqual(await connection.call('answer', { session_id, request_id: 'req-1', answer }), { accepted: true });
    await connection.closed;
  });
});
