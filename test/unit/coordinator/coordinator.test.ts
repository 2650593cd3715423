import assert from 'node:assert/strict';
import fc from 'fast-check';
import { demandsTimeoutMs } from '../../../src/coordinator/waiting.ts';
import type { RunFilter } from '../../../src/coordinator/api.ts';
import { CoordinatorError, type CoordinatorErrorCode } from '../../../src/coordinator/errors.ts';
import { lostMs, staleMs } from '../../../src/coordinator/runnerRegistry.ts';
import { demandsSchema } from '../../../src/model/session/demands.ts';
import { listedRunnerSchema } from '../../../src/model/session/runner.ts';
import { runSchema } from '../../../src/model/session/session.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

const refused = (code: CoordinatorErrorCode) => (error: unknown) => CoordinatorError.is(error, code);
const demands = (input: object) => demandsSchema.parse(input);

describe('runs', () => {
  it('go from pending through claimed and running to completed, each with its time', () => {
    const still = new StillCoordinator();
    const { run_id } = still.create({
      agent_name: 'a',
      project_dir: '/p',
      parent_session_id: 'ses_0123456789ab',
      execution_mode: 'async_poll',
    });
    const runnerRef = still.register();
    still.advance(1000);
    assert.equal(still.core.claim(runnerRef)?.run.run_id, run_id);
    still.advance(1000);
    still.core.report(runnerRef, { run_id, status: 'running' });
    still.advance(1000);
    still.core.report(runnerRef, { run_id, status: 'completed' });
    assert.deepEqual(runSchema.parse(still.run(run_id)), {
      run_id: 'run_000000000001',
      type: 'start_session',
      session_id: 'ses_000000000002',
      agent_name: 'a',
      prompt: 'Do it',
      project_dir: '/p',
      parent_session_id: 'ses_0123456789ab',
      execution_mode: 'async_poll',
      status: 'completed',
      runner_id: runnerRef.runner_id,
      created_at: '2026-01-01T00:00:00.000Z',
      claimed_at: '2026-01-01T00:00:01.000Z',
      started_at: '2026-01-01T00:00:02.000Z',
      completed_at: '2026-01-01T00:00:03.000Z',
      timeout_at: '2026-01-01T00:05:00.000Z',
    });
  });

  it("fail with the runner's error", () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create();
    still.core.claim(runnerRef);
    still.core.report(runnerRef, { run_id, status: 'failed', error: 'No program.' });
    assert.deepEqual([still.run(run_id).status, still.run(run_id).error], ['failed', 'No program.']);
  });

  it('are stopped at once while waiting, and by their runner while running', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const first = still.create();
    assert.equal(still.core.stop(first.run_id).status, 'stopped');
    assert.equal(still.core.claim(runnerRef), null);
    const second = still.create();
    still.core.claim(runnerRef);
    assert.equal(still.core.stop(second.run_id).status, 'stopping');
    assert.equal(still.core.stop(second.run_id).status, 'stopping');
    assert.equal(still.core.report(runnerRef, { run_id: second.run_id, status: 'running' }).status, 'stopping');
    assert.equal(still.core.report(runnerRef, { run_id: second.run_id, status: 'stopped' }).status, 'stopped');
    assert.throws(() => still.core.report(runnerRef, { run_id: second.run_id, status: 'completed' }), refused('over'));
    assert.throws(() => still.core.stop('run_ffffffffffff'), refused('unknown_run'));
  });

  it('are given up after five minutes if no runner can take them, with the reason', () => {
    const still = new StillCoordinator();
    const demanding = still.create({
      demands: demands({ tags: ['gpu'] }),
      additional_demands: demands({ hostname: 'x' }),
    });
    const patient = still.create();
    assert.equal(demanding.timeout_at, '2026-01-01T00:05:00.000Z');
    assert.equal(patient.timeout_at, demanding.timeout_at);
    assert.equal(patient.demands, undefined);
    still.advance(demandsTimeoutMs - 1);
    assert.equal(still.run(demanding.run_id).status, 'pending');
    still.advance(1);
    assert.equal(still.run(demanding.run_id).status, 'failed');
    assert.equal(
      still.run(demanding.run_id).error,
      'No runner with hostname "x", tags gpu took this run within 5 minutes: no runner is online.',
    );
    assert.equal(
      still.run(patient.run_id).error,
      'No runner for claude-code took this run within 5 minutes: no runner is online.',
    );
  });

  it('are not given up after a runner has claimed them', () => {
    const still = new StillCoordinator();
    const { run_id } = still.create({ demands: demands({ tags: ['gpu'] }) });
    const runnerRef = still.register({ tags: ['gpu'] });
    still.core.claim(runnerRef);
    still.core.report(runnerRef, { run_id, status: 'running' });
    for (let at = 0; at < 40; at += 1) {
      still.advance(10_000);
      still.core.heartbeat(runnerRef);
    }
    assert.equal(still.run(run_id).status, 'running');
  });

  it('with demands wait as long as a suitable runner is connected', () => {
    const cases = [
      { runner: { tags: ['gpu'] }, status: 'pending' },
      { runner: { tags: ['web'] }, status: 'failed' },
      { runner: { tags: ['gpu'], executor_type: 'codex' }, status: 'failed' },
      { runner: { tags: ['gpu'], within: ['/elsewhere'] }, status: 'failed' },
    ];
    for (const { runner, status } of cases) {
      const still = new StillCoordinator();
      const runnerRef = still.register(runner);
      still.create({ executor_type: runner.executor_type ?? 'claude-code' });
      still.core.claim(runnerRef);
      const { run_id } = still.create({ demands: demands({ tags: ['gpu'] }), project_dir: '/w' });
      for (let passed = 0; passed < 2 * demandsTimeoutMs; passed += 10_000) {
        still.advance(10_000);
        still.core.heartbeat(runnerRef);
      }
      assert.equal(still.run(run_id).status, status, JSON.stringify(runner));
      still.core.removeRunner(runnerRef, 'The runner ended.');
      still.advance(staleMs);
      assert.equal(still.run(run_id).status, 'failed');
    }
  });

  it('that were lost on the way to a runner are sent again', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register({ limit: 2 });
    const [first, second] = [still.create(), still.create()];
    assert.equal(still.core.claim(runnerRef)?.run.run_id, first.run_id);
    assert.equal(still.core.claim({ ...runnerRef, has: [] })?.run.run_id, first.run_id);
    assert.equal(still.core.claim({ ...runnerRef, has: [first.run_id] })?.run.run_id, second.run_id);
    still.core.stop(second.run_id);
    assert.equal(still.core.claim({ ...runnerRef, has: [first.run_id] })?.run.status, 'stopping');
    still.core.report(runnerRef, { run_id: first.run_id, status: 'running' });
    still.core.report(runnerRef, { run_id: second.run_id, status: 'stopped' });
    assert.equal(still.core.claim({ ...runnerRef, has: [] }), null, 'what runs has begun');
    assert.equal(still.core.claim(runnerRef), null);
  });

  it('are listed by session and by runner', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const [first, second] = [still.create(), still.create()];
    still.core.claim(runnerRef);
    const ids = (filter: RunFilter) => still.core.runs(filter).map(({ run_id }) => run_id);
    assert.deepEqual(ids({}), [first.run_id, second.run_id]);
    assert.deepEqual(ids({ session_id: second.session_id }), [second.run_id]);
    assert.deepEqual(ids({ runner_id: runnerRef.runner_id }), [first.run_id]);
    assert.deepEqual(ids({ runner_id: runnerRef.runner_id, session_id: second.session_id }), []);
  });

  it('are not affected by clock changes', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create({ demands: demands({ tags: ['gpu'] }) });
    still.wall += 3_600_000;
    still.core.tick();
    assert.equal(still.run(run_id).status, 'pending');
    assert.deepEqual(
      [still.core.runners()[0]?.status, still.core.runners()[0]?.seconds_since_heartbeat],
      ['online', 0],
    );
    still.wall -= 7_200_000;
    still.core.tick();
    still.advance(3000);
    assert.equal(still.core.runners()[0]?.seconds_since_heartbeat, 3);
    still.core.heartbeat(runnerRef);
    still.advance(demandsTimeoutMs);
    assert.equal(still.run(run_id).status, 'failed');
  });

  it('of one session run one after the other', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register({ limit: 4 });
    const session_id = 'ses_0123456789ab';
    const resume = { type: 'resume_session' as const, session_id };
    const [first, second, other] = [still.create(resume), still.create(resume), still.create()];
    assert.equal(still.core.claim(runnerRef)?.run.run_id, first.run_id);
    assert.equal(still.core.claim(runnerRef)?.run.run_id, other.run_id);
    assert.equal(still.core.claim(runnerRef), null);
    still.core.report(runnerRef, { run_id: first.run_id, status: 'completed' });
    assert.equal(still.core.claim(runnerRef)?.run.run_id, second.run_id);
    assert.throws(() => still.create({ type: 'resume_session' }), refused('invalid'));
  });

  it('are each claimed once, in order', () => {
    const kinds = ['a', 'b'] as const;
    const step = fc.oneof(
      fc.record({ do: fc.constant('create' as const), tag: fc.constantFrom('', ...kinds) }),
      fc.record({ do: fc.constant('claim' as const), who: fc.nat(3) }),
      fc.record({ do: fc.constant('finish' as const), who: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const still = new StillCoordinator();
        const tags = [['a'], ['b'], ['a', 'b'], []];
        const registered = tags.map((own, at) =>
          still.register({ project_dir: `/${at}`, tags: own, limit: 2, instance: `instance-${at}` }),
        );
        const claimedIds: string[][] = registered.map(() => []);
        const waiting: { id: string; tag: string }[] = [];
        const claimed = new Set<string>();
        for (const action of steps) {
          if (action.do === 'create') {
            const { run_id } = still.create(action.tag === '' ? {} : { demands: demands({ tags: [action.tag] }) });
            waiting.push({ id: run_id, tag: action.tag });
          } else if (action.do === 'claim') {
            const job = still.core.claim(registered[action.who]!);
            const own = tags[action.who]!;
            const mayTake = claimedIds[action.who]!.length < 2;
            const next = mayTake ? waiting.find(({ tag }) => tag === '' || own.includes(tag)) : undefined;
            assert.equal(job?.run.run_id, next?.id);
            if (job === null) continue;
            assert.ok(!claimed.has(job.run.run_id));
            claimed.add(job.run.run_id);
            claimedIds[action.who]!.push(job.run.run_id);
            waiting.splice(
              waiting.findIndex(({ id }) => id === job.run.run_id),
              1,
            );
          } else {
            const run_id = claimedIds[action.who]!.shift();
            if (run_id !== undefined) still.core.report(registered[action.who]!, { run_id, status: 'completed' });
          }
        }
      }),
    );
  });

  it('wait up to a total size limit', () => {
    const still = new StillCoordinator();
    const { run_id } = still.create();
    const job = still.changes[0]!;
    const saved = Array.from({ length: 10_000 }, (_, at) => ({
      ...job,
      run: { ...job.run, run_id: `run_a${at.toString(16).padStart(11, '0')}` },
    }));
    assert.throws(() => new StillCoordinator(saved).create(), refused('full'));
    assert.equal(still.run(run_id).status, 'pending');
  });
});

describe('runners', () => {
  it('have an id derived from machine, folder and executor', () => {
    const still = new StillCoordinator();
    const first = still.register();
    assert.match(first.runner_id, /^lnch_[0-9a-f]{12}$/);
    assert.equal(still.register({ tags: ['more'] }).runner_id, first.runner_id);
    for (const other of [{ hostname: 'there' }, { project_dir: '/x' }, { executor_type: 'codex' }]) {
      assert.notEqual(still.register({ ...other, instance: 'instance-2' }).runner_id, first.runner_id);
    }
  });

  it('are listed with the fields of the specification', () => {
    const still = new StillCoordinator();
    still.register({ tags: ['gpu'] });
    still.advance(7000);
    const [listed] = still.core.runners();
    assert.deepEqual(listedRunnerSchema.parse(listed), {
      runner_id: listed?.runner_id,
      registered_at: '2026-01-01T00:00:00.000Z',
      last_heartbeat: '2026-01-01T00:00:00.000Z',
      hostname: 'here',
      project_dir: '/w',
      executor_type: 'claude-code',
      tags: ['gpu'],
      status: 'online',
      seconds_since_heartbeat: 7,
      limit: 1,
      running: 0,
    });
  });

  it('with the same identity get separate ids', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const [first, second] = [still.create(), still.create()];
    still.core.claim(runnerRef);
    const next = still.register({ instance: 'instance-2' });
    assert.notEqual(next.runner_id, runnerRef.runner_id);
    assert.equal(still.register({ instance: 'instance-2' }).runner_id, next.runner_id);
    assert.equal(still.core.claim(next)?.run.run_id, second.run_id);
    assert.deepEqual(
      [first, second].map(({ run_id }) => still.run(run_id).runner_id),
      [runnerRef.runner_id, next.runner_id],
    );
    assert.equal(still.core.runners().length, 2);
  });

  it('replace a stale one, whose runs fail', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create();
    still.core.claim(runnerRef);
    still.advance(staleMs);
    assert.equal(still.core.runners()[0]?.status, 'stale');
    const next = still.register({ instance: 'instance-2' });
    assert.equal(next.runner_id, runnerRef.runner_id);
    assert.equal(still.run(run_id).status, 'failed');
    assert.match(still.run(run_id).error ?? '', /restarted/);
    assert.throws(() => still.core.claim(runnerRef), refused('unknown_runner'));
    assert.throws(() => still.core.report(runnerRef, { run_id, status: 'completed' }), refused('unknown_runner'));
  });

  it('continue after a delay', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create();
    still.core.claim(runnerRef);
    still.core.report(runnerRef, { run_id, status: 'running' });
    still.advance(lostMs - 1);
    assert.equal(still.core.runners()[0]?.status, 'stale');
    still.core.heartbeat(runnerRef);
    assert.deepEqual(
      [still.core.runners()[0]?.status, still.core.runners()[0]?.seconds_since_heartbeat],
      ['online', 0],
    );
    assert.equal(still.core.report(runnerRef, { run_id, status: 'completed' }).status, 'completed');
  });

  it('without heartbeats lose their runs, and can reconnect', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create();
    still.core.claim(runnerRef);
    still.advance(lostMs);
    assert.deepEqual([still.run(run_id).status, still.run(run_id).error], ['failed', 'The runner stopped responding.']);
    assert.throws(() => still.core.heartbeat(runnerRef), refused('unknown_runner'));
    assert.equal(still.register().runner_id, runnerRef.runner_id);
    assert.throws(() => still.core.report(runnerRef, { run_id, status: 'completed' }), refused('over'));
  });

  it('lose nothing while the coordinator’s process is suspended', () => {
    for (const first of ['tick', 'list', 'claim by another'] as const) {
      const still = new StillCoordinator();
      const runnerRef = still.register();
      const other = still.register({ project_dir: '/2', instance: 'instance-2' });
      const { run_id } = still.create();
      const waiting = still.create({ demands: demands({ tags: ['gpu'] }) });
      still.core.claim(runnerRef);
      still.mono += 10 * lostMs;
      if (first === 'list') still.core.runners();
      if (first === 'claim by another') still.core.claim(other);
      still.core.tick();
      assert.equal(still.core.runners()[0]?.status, 'online', first);
      assert.deepEqual([still.run(run_id).status, still.run(waiting.run_id).status], ['claimed', 'pending']);
      still.advance(lostMs);
      assert.equal(still.run(run_id).status, 'failed', 'it is heard of no more');
      still.advance(demandsTimeoutMs);
      assert.equal(still.run(waiting.run_id).status, 'failed');
    }
  });

  it('have one identity whatever the case of their drive letter', () => {
    const still = new StillCoordinator();
    const { runner_id } = still.register({ project_dir: 'c:\\App' });
    assert.equal(still.register({ project_dir: 'C:\\App' }).runner_id, runner_id);
    assert.notEqual(still.register({ project_dir: 'C:\\app' }).runner_id, runner_id);
  });

  it('whose process has ended leave at once; their stopping runs are stopped', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register({ limit: 2 });
    const [first, second] = [still.create(), still.create()];
    still.core.claim(runnerRef);
    still.core.claim(runnerRef);
    still.core.stop(second.run_id);
    still.core.removeRunner({ ...runnerRef, instance: 'another-one' }, 'no');
    assert.equal(still.run(first.run_id).status, 'claimed');
    still.core.removeRunner(runnerRef, 'The runner ended.');
    assert.deepEqual([still.run(first.run_id).status, still.run(second.run_id).status], ['failed', 'stopped']);
    assert.equal(still.register({ instance: 'instance-2' }).runner_id, runnerRef.runner_id);
  });

  it("cannot report another runner's run", () => {
    const still = new StillCoordinator();
    const [one, two] = [still.register(), still.register({ project_dir: '/2', instance: 'instance-2' })];
    const { run_id } = still.create();
    still.core.claim(one);
    assert.throws(() => still.core.report(two, { run_id, status: 'completed' }), refused('over'));
    assert.throws(() => still.core.claim({ ...one, instance: 'forged-one' }), refused('unknown_runner'));
  });
});
