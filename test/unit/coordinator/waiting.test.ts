import assert from 'node:assert/strict';
import { CoordinatorError } from '../../../src/coordinator/errors.ts';
import { demandsTimeoutMs, waitingText, waitingReason } from '../../../src/coordinator/waiting.ts';
import { demandsSchema } from '../../../src/model/session/demands.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

const demands = (input: object) => demandsSchema.parse(input);

describe('a waiting run', () => {
  function reason(still: StillCoordinator, id: string): string | undefined {
    const { waiting } = still.core.runs().find(({ run_id }) => run_id === id) ?? {};
    return waiting === undefined ? undefined : waitingText(waiting);
  }

  it('explains why no runner takes it', () => {
    const still = new StillCoordinator();
    const alone = still.create();
    assert.equal(reason(still, alone.run_id), 'no runner is online');
    const runnerRef = still.register({ tags: ['web'], within: ['/w'] });
    const cases = [
      [{ executor_type: 'codex' }, 'no online runner offers codex; online: claude-code'],
      [{ demands: demands({ tags: ['gpu'] }) }, 'no online runner has the tag gpu'],
      [{ demands: demands({ tags: ['gpu', 'web'] }) }, 'no online runner has the tag gpu'],
      [{ demands: demands({ hostname: 'x', tags: ['gpu'] }) }, 'no online runner has hostname "x", tags gpu'],
      [{ project_dir: '/elsewhere' }, 'no online runner works in /elsewhere'],
      [{ session_id: alone.session_id, type: 'resume_session' }, `${alone.run_id} of the same session has not ended`],
      [{}, undefined],
    ] as const;
    for (const [request, expected] of cases) assert.equal(reason(still, still.create(request).run_id), expected);
    still.core.claim(runnerRef);
    assert.equal(reason(still, still.create().run_id), 'all runners that can take it are busy');
    assert.equal(reason(still, alone.run_id), undefined);
  });

  it('waits for a budget of the team that is used up', () => {
    const still = new StillCoordinator();
    still.register();
    const [runner] = still.core.runners();
    assert.ok(runner);
    const folder = runner.project_dir;
    const limit = { period: 'day', limit_usd: 5 } as const;
    const cases = [
      [{ scope: 'team', key: '' }, 'the budget of the team is used up ($5 per day)'],
      [{ scope: 'member', key: 'alice' }, 'the budget of alice is used up ($5 per day)'],
      [{ scope: 'agent', key: 'reviewer' }, 'the budget of reviewer is used up ($5 per day)'],
      [{ scope: 'project', key: folder }, `the budget of ${folder} is used up ($5 per day)`],
      [{ scope: 'member', key: 'bob' }, undefined],
      [{ scope: 'project', key: '/other' }, undefined],
    ] as const;
    const run = still.create({ agent_name: 'reviewer' });
    for (const [budget, expected] of cases) {
      const context = { online: [{ runner, limit: 1 }], load: () => 0, before: undefined };
      const usedUp = [{ ...budget, ...limit }];
      const waiting = waitingReason(
        { run, executor_type: 'claude-code' },
        { ...context, usedUp, requestedBy: 'alice' },
      );
      assert.equal(waiting === undefined ? undefined : waitingText(waiting), expected);
    }
  });

  it('names all demands if each is met, but not by one runner', () => {
    const still = new StillCoordinator();
    still.register({ tags: ['gpu'] });
    still.register({ tags: ['web'], instance: 'instance-2' });
    const { run_id } = still.create({ demands: demands({ tags: ['gpu', 'web'] }) });
    assert.equal(reason(still, run_id), 'no online runner has tags gpu, web');
  });

  it('is given up if no runner offers its executor, with the available ones', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create({ executor_type: 'codex' });
    for (let passed = 0; passed < demandsTimeoutMs; passed += 10_000) {
      still.advance(10_000);
      still.core.heartbeat(runnerRef);
    }
    assert.equal(
      still.run(run_id).error,
      'No runner for codex took this run within 5 minutes: no online runner offers codex; online: claude-code.',
    );
  });

  it('can be moved before or after others, but not before an earlier run of its session', () => {
    const still = new StillCoordinator();
    const [first, second, third] = [still.create(), still.create(), still.create()];
    const again = still.create({ type: 'resume_session', session_id: second.session_id });
    still.core.change({ run_id: third.run_id, move: 'first' });
    still.core.change({ run_id: again.run_id, move: 'first' });
    still.core.change({ run_id: first.run_id, move: 'last' });
    const runnerRef = still.register();
    const taken: string[] = [];
    for (let job = still.core.claim(runnerRef); job !== null; job = still.core.claim(runnerRef)) {
      taken.push(job.run.run_id);
      still.core.report(runnerRef, { run_id: job.run.run_id, status: 'completed' });
    }
    assert.deepEqual(taken, [third.run_id, second.run_id, again.run_id, first.run_id]);
    const isOverError = (error: unknown): boolean => CoordinatorError.is(error, 'over');
    assert.throws(() => still.core.change({ run_id: first.run_id, move: 'first' }), isOverError);
  });

  it('keeps its place when another coordinator takes over', () => {
    const before = new StillCoordinator();
    before.create();
    const moved = before.create();
    before.core.change({ run_id: moved.run_id, move: 'first' });
    const after = new StillCoordinator(before.changes);
    assert.equal(after.core.claim(after.register())?.run.run_id, moved.run_id);
  });

  it('can get other demands from the user, and then goes to the runner that meets them', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create({ demands: demands({ tags: ['gpu'] }) });
    assert.equal(still.core.claim(runnerRef), null);
    still.core.change({ run_id, demands: demands({ hostname: 'here' }) });
    assert.equal(still.core.claim(runnerRef)?.run.run_id, run_id);
  });

  it('resumes a session only with the executor of its earlier runs', () => {
    const still = new StillCoordinator();
    const { session_id } = still.create();
    assert.throws(
      () => still.create({ type: 'resume_session', session_id, executor_type: 'codex' }),
      (error) => CoordinatorError.is(error, 'contradiction') && /is a claude-code session/.test(error.message),
    );
  });

  it('counts in the load of the runner that took it', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register({ limit: 2 });
    still.create();
    still.core.claim(runnerRef);
    const [listed] = still.core.runners();
    assert.deepEqual([listed?.running, listed?.limit], [1, 2]);
  });
});
