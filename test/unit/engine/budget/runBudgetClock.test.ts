import assert from 'node:assert/strict';
import { noUsage } from '../../../../src/insight/budgets/usedBudget.ts';
import { RunBudget } from '../../../../src/engine/budget/runBudget.ts';

const others = { session: noUsage, tree: noUsage, day: noUsage, agent: noUsage, workspace: noUsage };
const hour = 3_600_000;

describe('the budget of a run', function () {
  let wall: number;
  let passed: number;
  beforeEach(() => {
    wall = Date.parse('2026-11-24T12:00:00Z');
    passed = 0;
  });

  function started(unit: 'usd' | 'minutes', limit: number) {
    const bounds = [{ scope: 'run', unit, key: 'run_0123456789ab', limit } as const];
    const reached: string[] = [];
    const clock = (): number => wall;
    const budget = new RunBudget({
      clock,
      monotonic: () => passed,
      sharedSpending: others,
      bounds,
      dayEnd: wall + 48 * hour,
    });
    budget.begin({
      onNear: () => undefined,
      onReached: (status) => reached.push(status.unit),
      onChanged: () => undefined,
      isWaitingForEnd: () => false,
    });
    return { budget, reached };
  }

  it('does not count sleep of the machine', () => {
    const { budget, reached } = started('minutes', 30);
    passed += 5 * 60_000;
    wall += 5 * 60_000 + 8 * hour;
    budget.check(() => ({ ...noUsage, callsTool: false }));
    assert.equal(budget.ms, 5 * 60_000);
    assert.deepEqual(reached, []);
    budget.end();
  });

  for (const [name, jump] of [
    ['back', -24 * hour],
    ['forward', 24 * hour],
  ] as const) {
    it(`holds when the clock is set ${name} by a day`, () => {
      const { budget, reached } = started('usd', 1);
      budget.check(() => ({ ...noUsage, usd: 0.1, callsTool: false }));
      wall += jump;
      passed += 1000;
      budget.check(() => ({ ...noUsage, usd: 50, callsTool: false }));
      assert.deepEqual(reached, ['usd']);
      budget.end();
    });
  }
});
