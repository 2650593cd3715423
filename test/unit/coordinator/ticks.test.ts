import assert from 'node:assert/strict';
import { lostMs } from '../../../src/coordinator/runnerRegistry.ts';
import { demandsTimeoutMs } from '../../../src/coordinator/waiting.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

/** Ticks only when one is due; returns how often. */
function passWithDueTicks(still: StillCoordinator, ms: number): number {
  const end = still.mono + ms;
  let ticks = 0;
  for (
    let due = still.core.msUntilTick();
    due !== undefined && still.mono + due <= end;
    due = still.core.msUntilTick()
  ) {
    still.sleep(due);
    ticks += 1;
  }
  return ticks;
}

describe('the ticks of a queue', () => {
  it('stop while nothing waits and no runner is connected', () => {
    const still = new StillCoordinator();
    assert.equal(still.core.msUntilTick(), undefined);
    const { run_id } = still.create();
    assert.notEqual(still.core.msUntilTick(), undefined);
    still.core.stop(run_id);
    assert.equal(still.core.msUntilTick(), undefined);
    const runnerRef = still.register();
    assert.notEqual(still.core.msUntilTick(), undefined);
    still.core.removeRunner(runnerRef, 'The runner ended.');
    assert.equal(still.core.msUntilTick(), 0);
    still.core.tick();
    assert.equal(still.core.msUntilTick(), undefined);
    assert.deepEqual(still.core.runners(), []);
  });

  it('give up a run when its time is over, not a millisecond earlier', () => {
    const still = new StillCoordinator();
    const { run_id } = still.create();
    passWithDueTicks(still, demandsTimeoutMs - 1);
    assert.equal(still.run(run_id).status, 'pending');
    const ticks = passWithDueTicks(still, demandsTimeoutMs);
    assert.equal(still.mono, demandsTimeoutMs);
    assert.equal(still.run(run_id).status, 'failed');
    assert.ok(ticks <= 2, `${ticks} ticks`);
  });

  it('give up the runs of a runner without heartbeats', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    const { run_id } = still.create();
    still.core.claim(runnerRef);
    const ticks = passWithDueTicks(still, 2 * lostMs);
    assert.equal(still.mono, lostMs);
    assert.equal(still.run(run_id).status, 'failed');
    assert.ok(ticks < 20, `${ticks} ticks`);
    assert.equal(still.core.msUntilTick(), undefined);
  });

  it('are not due between the heartbeats of a runner', () => {
    const still = new StillCoordinator();
    const runnerRef = still.register();
    for (let beat = 0; beat < 100; beat += 1) {
      assert.ok((still.core.msUntilTick() ?? 0) > 5000);
      still.wall += 5000;
      still.mono += 5000;
      still.core.heartbeat(runnerRef);
    }
    assert.equal(still.core.runners()[0]?.status, 'online');
  });
});
