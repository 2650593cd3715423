import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { connectOthers } from '../../../../src/client/connect.ts';
import { openDaemons } from '../../../../src/client/machine/openDaemons.ts';
import { Journal } from '../../../../src/engine/coordinator/journal.ts';
import { journalFile } from '../../../../src/engine/coordinator/openQueue.ts';
import { isAlive } from '../../../../src/engine/process/identity/identity.ts';
import type { Run } from '../../../../src/model/session/session.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { SessionSnapshot } from '../../../../src/protocol/daemon/session.ts';
import { daemonProtocol } from '../../../../src/protocol/daemon/version.ts';
import { DaemonBench } from '../../../support/daemon/bench.ts';
import { daemonOf, otherProtocols } from '../../../support/daemon/otherProtocol.ts';
import { prompt, type Step } from '../../../support/fakeAgent/engine.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { until } from '../../../support/until.ts';

const client = { kind: 'api', person: false } as const;
const asking = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1' } }, { say: 'after' }, { result: {} }];

describe('daemons of two versions', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  for (const [change, protocol] of otherProtocols) {
    it(`share a store in ${change}: the run of the other completes, and every command reaches it`, async () => {
      const other = await place.connect({ daemonFile: await daemonOf(protocol), protocol });
      assert.equal(other.daemon.protocol, protocol);
      const { session_id } = await other.call('start', place.startParams(asking));
      const second = await other.call('start', place.startParams([{ init: true }, { forever: true }]));
      const own = await place.connect();
      assert.notEqual(own.daemon.pid, other.daemon.pid);
      const ownSession = await own.call(
        'start',
        place.startParams([{ init: true }, { ask: { id: 'req-2' } }, { result: {} }]),
      );

      const status = (await place.vitrine('daemon', 'status', '--json').ended).stdout.trimEnd().split('\n');
      const found = status.map((line) => JSON.parse(line) as { pid: number; protocol: number });
      assert.deepEqual(
        found.map(({ pid }) => pid),
        [own.daemon.pid, other.daemon.pid],
      );
      assert.deepEqual(
        found.map((daemon) => daemon.protocol),
        [daemonProtocol, protocol],
      );

      await until('both requests to wait', async () => {
        const listed = (await place.vitrine('sessions', '--json').ended).stdout.trimEnd().split('\n');
        const ids = listed.flatMap((line) => {
          const { pending_requests: requests } = JSON.parse(line) as { pending_requests: { id: string }[] };
          return requests.map(({ id }) => id);
        });
        return ids.sort().join() === 'req-1,req-2';
      });

      const watching = place.vitrine('attach', session_id, '--json');
      watching.process.stdin?.write(`${JSON.stringify({ answer: { request: 'req-1', decision: 'allow' } })}\n`);
      const watched = await watching.ended;
      assert.equal(watched.code, 0, watched.stderr);
      const lines = watched.stdout.trimEnd().split('\n');
      const entries = lines.map((line) => JSON.parse(line) as { index?: number; content?: string });
      const indexes = entries.flatMap(({ index }) => index ?? []);
      assert.deepEqual(
        indexes,
        Array.from({ length: indexes.length }, (_, index) => index),
        'no gap',
      );
      for (const text of ['before', 'after'])
        assert.ok(
          entries.some(({ content }) => content === text),
          text,
        );

      const stopped = await place.vitrine('stop', second.session_id).ended;
      assert.equal(stopped.code, 0, stopped.stderr);
      assert.equal((await own.call('running', {})).length, 1);
      const verified = await place.vitrine('verify', session_id).ended;
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);

      await other.call('retire', { when: 'idle' });
      await other.closed;
      await until('the other to exit', async () => !(await isAlive({ pid: other.daemon.pid, startTime: null })));
      assert.deepEqual(await connectOthers({ storeDir: place.store, build: 'test', client }), []);
      await own.call('stop', { session_id: ownSession.session_id, kill: true });
    });
  }

  for (const [change, protocol] of otherProtocols) {
    it(`serve two windows in ${change}: the newer one answers, both see the whole run, in one record`, async () => {
      const windowOf = (id: string) => ({ client: { kind: 'window', person: true, id } as const });
      const before = await place.connect({ daemonFile: await daemonOf(protocol), protocol, ...windowOf('before') });
      const { session_id } = await before.call('start', place.startParams(asking));
      const shown = new Map<number, NormalizedEntry>();
      let gaps = 0;
      const lastState = new Promise<SessionSnapshot>((resolve, reject) => {
        const followed = before.follow(session_id, ({ updates, state, gap }) => {
          for (const update of updates) if (update.op === 'put') shown.set(update.entry.index, update.entry);
          if (gap) gaps += 1;
          if (!state.live) resolve(state);
          return Promise.resolve();
        });
        followed.then(({ entries }) => {
          for (const entry of entries) if (!shown.has(entry.index)) shown.set(entry.index, entry);
        }, reject);
      });

      const after = await place.connect(windowOf('after'));
      assert.notEqual(after.daemon.pid, before.daemon.pid);
      const daemons = await openDaemons(place.store, 'test');
      assert.deepEqual(
        daemons.map(({ daemon }) => daemon.pid),
        [after.daemon.pid, before.daemon.pid],
      );
      const other = daemons[1]!;
      await until('the request to wait', async () => {
        const [running] = await other.call('running', {});
        return running?.session_id === session_id && running.requests.some(({ id }) => id === 'req-1');
      });
      const params = { session_id, request_id: 'req-1', answer: { kind: 'allow', scope: 'once' } } as const;
      assert.deepEqual(await other.call('answer', params), { accepted: true });
      assert.deepEqual(await before.call('answer', params), { accepted: false });
      assert.equal((await lastState).summary.outcome, 'completed');
      for (const daemon of daemons) daemon.close();
      assert.equal(gaps, 0);

      const { state } = await after.follow(session_id, () => Promise.resolve());
      assert.equal(state.summary.outcome, 'completed');
      const { entries } = await after.call('read', { session_id, from: 0, to: state.total });
      assert.deepEqual(
        entries.map(({ index }) => index),
        Array.from({ length: state.total }, (_, index) => index),
      );
      for (const [index, { type, content }] of shown) {
        assert.equal(entries[index]?.type.kind, type.kind);
        assert.equal(entries[index].content, content);
      }
      assert.ok(entries.some(({ content }) => content === 'after') && shown.size > 0);
      assert.deepEqual(await readdir(path.join(place.store, 'sessions')), [session_id]);
      const verified = await place.vitrine('verify', session_id).ended;
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    });
  }

  it('share a queue: a job that waits when the older one finishes is taken once, by the newer one', async () => {
    const older = await place.connect({ daemonFile: await daemonOf(daemonProtocol - 1), protocol: daemonProtocol - 1 });
    const { context } = place.startParams([]);
    const runner = { hostname: hostname(), project_dir: place.bench.cwd, executor_type: 'claude-code', limit: 1 };
    const queued = (said: string, ...before: readonly Step[]) => ({
      executor_type: 'claude-code',
      project_dir: place.bench.cwd,
      prompt: prompt([{ init: true }, ...before, { say: said }, { result: {} }]),
    });
    const listed = async () => {
      const { code, stdout, stderr } = await place.vitrine('queue', '--json').ended;
      const lines = stdout.split('\n').filter((line) => line !== '');
      return {
        code,
        stderr,
        runs: lines.map((line) => JSON.parse(line) as Partial<Run>).filter((run) => 'run_id' in run),
      };
    };

    const { runner_id: olderRunner } = await older.call('addRunner', { runner, context });
    const first = await older.call('queueRun', queued('by the older', { until: `${place.bench.dir}/go` }));
    const second = await older.call('queueRun', queued('by the newer'));
    await until('the first to run', async () => {
      const { runs } = await older.call('queuedRuns', { session_id: first.session_id });
      return runs[0]?.status === 'running';
    });
    await older.call('retire', { when: 'idle' });

    const own = await place.connect();
    assert.notEqual(own.daemon.pid, older.daemon.pid);
    const inUse = /Another version of Vitrine \(process \d+ on \S+\) is using the queue/;
    await assert.rejects(own.call('queueRun', queued('refused')), { message: inUse });
    await assert.rejects(own.call('addRunner', { runner, context }), { message: inUse });
    const during = await listed();
    assert.equal(during.code, 2);
    assert.match(during.stderr, inUse);

    await place.bench.go();
    await older.closed;
    const { runner_id: newerRunner } = await until('the queue to be free', () =>
      own.call('addRunner', { runner, context }).catch(() => undefined),
    );
    const third = await own.call('queueRun', queued('by the newer, too'));
    const ended = await until('all runs to end', async () => {
      const { runs } = await listed();
      return runs.length === 3 && runs.every(({ status }) => status === 'completed') && runs;
    });
    assert.deepEqual(
      ended.map(({ run_id, runner_id }) => [run_id, runner_id]),
      [
        [first.run_id, olderRunner],
        [second.run_id, newerRunner],
        [third.run_id, newerRunner],
      ],
    );
    const jobs = await new Journal(journalFile(place.store), silentLog).read();
    const claims = jobs.filter(({ run }) => run.status === 'claimed').map(({ run }) => run.run_id);
    assert.deepEqual(claims.filter((id) => id === second.run_id).length, 1, 'it was claimed once');
    for (const [{ session_id }, said] of [
      [first, 'by the older'],
      [second, 'by the newer'],
      [third, 'by the newer, too'],
    ] as const) {
      const shown = await place.vitrine('show', session_id, '--json').ended;
      const entries = shown.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { content: string });
      assert.equal(entries.filter(({ content }) => content === said).length, 1, said);
      assert.equal((await place.vitrine('verify', session_id).ended).code, 0);
    }
  });

  it('of one protocol: a newer build uses an older daemon that has runs, and replaces it when it has none', async () => {
    const older = await place.connect();
    const { session_id } = await older.call('start', place.startParams(asking));
    const during = await place.connect({ build: '999.0.0' });
    assert.equal(during.daemon.pid, older.daemon.pid);
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    const answer = { kind: 'allow', scope: 'once' } as const;
    await during.call('answer', { session_id, request_id: 'req-1', answer });
    await until('the run to end', async () => (await during.call('status', {})).runs === 0);

    const same = await place.connect({ build: older.daemon.version });
    assert.equal(same.daemon.pid, older.daemon.pid);
    const newer = await place.connect({ build: '999.0.0' });
    assert.notEqual(newer.daemon.pid, older.daemon.pid);
    await older.closed;
    assert.equal((await newer.follow(session_id, () => Promise.resolve())).state.summary.outcome, 'completed');
  });
});
