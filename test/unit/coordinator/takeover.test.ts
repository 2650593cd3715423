import assert from 'node:assert/strict';
import { demandsTimeoutMs } from '../../../src/coordinator/waiting.ts';
import { staleMs } from '../../../src/coordinator/runnerRegistry.ts';
import { demandsSchema } from '../../../src/model/session/demands.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

const demands = (input: object) => demandsSchema.parse(input);

describe('a coordinator that takes over', () => {
  it('knows waiting and ended runs', () => {
    const before = new StillCoordinator();
    const runnerRef = before.register();
    const done = before.create();
    before.core.claim(runnerRef);
    before.core.report(runnerRef, { run_id: done.run_id, status: 'completed' });
    const waiting = before.create({ demands: demands({ tags: ['gpu'] }) });
    const after = new StillCoordinator(before.changes, before.wall + 60_000);
    assert.deepEqual(
      after.core.runs().map(({ run_id, status }) => [run_id, status]),
      [
        [done.run_id, 'completed'],
        [waiting.run_id, 'pending'],
      ],
    );
    assert.deepEqual(after.core.runners(), []);
    const again = new StillCoordinator(after.core.jobsToSave());
    assert.deepEqual(again.core.runs(), after.core.runs());
  });

  it('fails runs that have waited too long, and no sooner', () => {
    const before = new StillCoordinator();
    const { run_id } = before.create({ demands: demands({ tags: ['gpu'] }) });
    const after = new StillCoordinator(before.changes, before.wall + demandsTimeoutMs - staleMs);
    after.advance(staleMs - 1);
    assert.equal(after.run(run_id).status, 'pending');
    after.advance(1);
    assert.equal(after.run(run_id).status, 'failed');
  });

  it('waits for runners to reconnect, even for runs that had waited long', () => {
    const before = new StillCoordinator();
    const { run_id } = before.create({ demands: demands({ tags: ['gpu'] }) });
    const after = new StillCoordinator(before.changes, before.wall + 2 * demandsTimeoutMs);
    after.advance(staleMs - 1);
    const runnerRef = after.register({ tags: ['gpu'] });
    after.advance(1);
    assert.equal(after.core.claim(runnerRef)?.run.run_id, run_id);
  });

  it("gives up runs of runners that ended with the previous coordinator's process", () => {
    const before = new StillCoordinator();
    const runnerRef = before.register({ limit: 3 });
    const [claimed, running, stopping, waiting] = [before.create(), before.create(), before.create(), before.create()];
    for (let at = 0; at < 3; at += 1) before.core.claim(runnerRef);
    before.core.report(runnerRef, { run_id: running.run_id, status: 'running' });
    before.core.stop(stopping.run_id);
    const after = new StillCoordinator(before.changes);
    assert.deepEqual(
      [claimed, running, stopping, waiting].map(({ run_id }) => after.run(run_id).status),
      ['failed', 'failed', 'stopped', 'pending'],
    );
    assert.match(after.run(claimed.run_id).error ?? '', /The Vitrine daemon ended during this run/);
  });
});
