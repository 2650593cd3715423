import assert from 'node:assert/strict';
import { PlanLimits } from '../../../../src/insight/session/planLimits.ts';

const later = '2026-11-27T10:00:00.000Z';
const now = Date.parse('2026-11-27T09:00:00.000Z');

describe('limits of a plan', () => {
  let limits: PlanLimits;
  beforeEach(() => (limits = new PlanLimits()));
  const add = (index: number, ...planLimits: unknown[]): void => limits.add({ index, metadata: { planLimits } });

  it('are the newest of each window', () => {
    add(1, { name: '5 h', usedPercent: 10, resetsAt: later }, { name: '7 d', usedPercent: 50 });
    add(9, { name: '5 h', usedPercent: 20, resetsAt: later });
    add(3, { name: '5 h', usedPercent: 15, resetsAt: later });
    limits.add({ index: 10 });
    assert.deepEqual(limits.at(now), [
      { name: '5 h', usedPercent: 20, resetsAt: later },
      { name: '7 d', usedPercent: 50 },
    ]);
  });

  it('are left out after their reset', () => {
    add(1, { name: '5 h', usedPercent: 10, resetsAt: later });
    assert.equal(limits.at(Date.parse(later) - 1).length, 1);
    assert.deepEqual(limits.at(Date.parse(later)), []);
  });

  it('are ignored if they are something else, and bounded', () => {
    add(
      1,
      null,
      'x',
      { name: 7 },
      { name: '' },
      { name: 'x'.repeat(1000) },
      { name: 'a', usedPercent: 'b', resetsAt: 'c' },
    );
    assert.deepEqual(limits.at(now), [{ name: 'a' }]);
    limits.add({ index: 2, metadata: { planLimits: 'many' } });
    for (let at = 0; at < 100; at += 1) add(at, { name: String(at) });
    assert.equal(limits.at(now).length, 12);
  });
});
