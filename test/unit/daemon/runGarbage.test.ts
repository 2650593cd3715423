import assert from 'node:assert/strict';
import { RunGarbage } from '../../../src/daemon/runGarbage.ts';
import { until } from '../../support/until.ts';

describe('the garbage of runs', () => {
  it('is collected once after the last run has ended', async () => {
    let collected = 0;
    const garbage = new RunGarbage(() => (collected += 1), 0);
    garbage.setRuns(2);
    garbage.setRuns(1);
    garbage.setRuns(0);
    await until('the collection', () => collected === 1);
    garbage.setRuns(0);
    garbage.setRuns(1);
    garbage.setRuns(0);
    await until('the next collection', () => collected === 2);
  });

  it('is not collected where nothing ran, or during a run', async () => {
    const collected: string[] = [];
    const unused = new RunGarbage(() => collected.push('unused'), 0);
    const busy = new RunGarbage(() => collected.push('busy'), 0);
    const ended = new RunGarbage(() => collected.push('ended'), 1);
    unused.setRuns(0);
    for (const count of [1, 0, 1]) busy.setRuns(count);
    for (const count of [1, 0]) ended.setRuns(count);
    // Its timer is the last.
    await until('the collection', () => collected.length > 0);
    assert.deepEqual(collected, ['ended']);
  });
});
