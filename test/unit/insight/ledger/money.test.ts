import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addCosts, addUsd, isSameUsd, subtractUsd, unknownCost } from '../../../../src/insight/ledger/money.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';

const reported = (usd: number): Cost => ({ provenance: 'reported', usd });
const estimated = (usd: number): Cost => ({
  provenance: 'estimated',
  usd,
  priceTable: { name: 'test', date: '2026-01-01' },
});

describe('money', () => {
  it('has no floating-point noise', () => {
    assert.equal(subtractUsd(0.009, 0.006), 0.003);
    assert.equal(addUsd(0.1, 0.2), 0.3);
    assert.equal(subtractUsd(0.012896000000000001, 0.006448000000000001), 0.006448);
  });

  it('keeps a printed figure', () => {
    assert.equal(addUsd(0, 0.006448000000000001), 0.006448000000000001);
    assert.equal(subtractUsd(0.13938599999999998, 0), 0.13938599999999998);
  });

  it('is never negative or NaN', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        assert.ok(addUsd(a, b) >= 0 && subtractUsd(a, b) >= 0);
        assert.ok(isSameUsd(addUsd(a, b), a + b));
      }),
    );
  });

  it('gives a sum the provenance of its least certain part', () => {
    assert.deepEqual(addCosts(reported(1), reported(2)), reported(3));
    assert.deepEqual(addCosts(reported(1), estimated(2)), estimated(3));
    assert.deepEqual(addCosts(estimated(1), reported(2)), estimated(3));
    assert.deepEqual(addCosts(reported(1), unknownCost('why')), unknownCost('why'));
    assert.deepEqual(addCosts(unknownCost('why'), estimated(1)), unknownCost('why'));
  });
});
