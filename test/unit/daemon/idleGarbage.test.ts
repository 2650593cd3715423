import assert from 'node:assert/strict';
import { IdleGarbage } from '../../../src/daemon/idleGarbage.ts';
import { until } from '../../support/until.ts';

describe('the garbage of tasks', () => {
  it('is collected once after the last task has ended', async () => {
    let collected = 0;
    const garbage = new IdleGarbage(() => (collected += 1), 0);
    garbage.setTasks(2);
    garbage.setTasks(1);
    garbage.setTasks(0);
    await until('the collection', () => collected === 1);
    garbage.setTasks(0);
    garbage.setTasks(1);
    garbage.setTasks(0);
    await until('the next collection', () => collected === 2);
  });

  it('is not collected where nothing ran, or during a task', async () => {
    const collected: string[] = [];
    const unused = new IdleGarbage(() => collected.push('unused'), 0);
    const busy = new IdleGarbage(() => collected.push('busy'), 0);
    const ended = new IdleGarbage(() => collected.push('ended'), 1);
    unused.setTasks(0);
    for (const count of [1, 0, 1]) busy.setTasks(count);
    for (const count of [1, 0]) ended.setTasks(count);
    // Its timer is the last.
    await until('the collection', () => collected.length > 0);
    assert.deepEqual(collected, ['ended']);
  });
});
