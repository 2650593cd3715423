import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addCosts, addUsd, sameUsd, subtractUsd, unknownCost } from '../../../../src/insight/ledger/money.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';

const reported = (usd: number): Cost => ({ provenance: 'reported', usd });
const estimated = (usd: number): Cost => ({
  provenance: 'estimated',
  usd,
  priceTable: { name: 'test', date: '2026-01-01' },
});

describe('money', () => {
  it('has no dust', () => {
    assert.equal(subtractUsd(0.009, 0.006), 0.003);
    assert.equal(addUsd(0.1, 0.2), 0.3);
    assert.equal(subtractUsd(0.012896000000000001, 0.006448000000000001), 0.006448);
  });

  it('leaves a printed figure as it is', () => {
    assert.equal(addUsd(0, 0.006448000000000001), 0.006448000000000001);
    assert.equal(subtractUsd(0.13938599999999998, 0), 0.13938599999999998);
  });

  it('never goes below zero and never is not a number', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        assert.ok(addUsd(a, b) >= 0 && subtractUsd(a, b) >= 0);
        assert.ok(sameUsd(addUsd(a, b), a + b));
      }),
    );
  });

  it('knows a sum as well as the less well known part', () => {
    assert.deepEqual(addCosts(reported(1), reported(2)), reported(3));
    assert.deepEqual(addCosts(reported(1), estimated(2)), estimated(3));
    assert.deepEqual(addCosts(estimated(1), reported(2)), estimated(3));
    assert.deepEqual(addCosts(reported(1), unknownCost('why')), unknownCost('why'));
    assert.deepEqual(addCosts(unknownCost('why'), estimated(1)), unknownCost('why'));
  });
});
