import assert from 'node:assert/strict';
import type { PriceTable } from '../../../../src/insight/prices/prices.ts';
import { selfCheck } from '../../../../src/insight/ledger/selfCheck.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';

const table: PriceTable = {
  name: 'test',
  date: '2026-01-01',
  models: { a: { input: 1, output: 10 }, b: { input: 2, output: 20 } },
  aliases: {},
};
const reported: Cost = { provenance: 'reported', usd: 10 };
const usage = [
  { model: 'a', input: 1e6, output: 1e5 },
  { model: 'b', input: 1e6, output: 3e5 },
];

describe('a reported cost', () => {
  it('is compared with the price table, in percent', () => {
    assert.deepEqual(selfCheck(reported, usage, table), { estimate: 10, percent: 0 });
    const higher = selfCheck({ provenance: 'reported', usd: 8 }, usage, table);
    assert.deepEqual([higher?.estimate, higher?.percent], [10, 25]);
  });

  it('is not compared if tokens or prices are unknown, or nothing was reported', () => {
    assert.equal(selfCheck(reported, null, table), null);
    assert.equal(selfCheck(reported, [], table), null);
    assert.equal(selfCheck(reported, [...usage, { model: 'c', input: 1 }], table), null);
    assert.equal(selfCheck({ provenance: 'unknown', reason: '' }, usage, table), null);
    assert.equal(selfCheck({ ...reported, usd: 0 }, usage, table), null);
  });
});
