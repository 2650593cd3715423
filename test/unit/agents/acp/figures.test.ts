import assert from 'node:assert/strict';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { initialized, opened, over, read, says, update } from '../../../support/acpLines.ts';
import { testPrices } from '../../../support/facts.ts';

describe('figures of the Agent Client Protocol', () => {
  it('tell which tokens a figure counts by the total beside it', () => {
    const ended = (usage: object) =>
      read([initialized, opened, says('Hi'), { id: 2, result: { stopReason: 'end_turn', usage } }]);
    const usage = (of: object) => ended(of).facts.reports[0]?.usage;
    const cached = { cachedReadTokens: 20, cachedWriteTokens: 10 };
    const apart = usage({ inputTokens: 5, outputTokens: 7, ...cached, totalTokens: 42 });
    assert.deepEqual(apart, { input: 5, output: 7, cacheRead: 20, cacheWrite: 10 });
    const inside = usage({ inputTokens: 35, outputTokens: 7, ...cached, totalTokens: 42 });
    assert.deepEqual(inside, apart);
    const thoughts = usage({ inputTokens: 5, outputTokens: 7, thoughtTokens: 3, totalTokens: 15 });
    assert.deepEqual(thoughts, { input: 5, output: 10, reasoning: 3 });
  });

  it('give the newest cost of the conversation to the last turn, also where it comes late', () => {
    const cost = (amount: number) => update('usage_update', { used: 1, size: 2, cost: { amount, currency: 'USD' } });
    const { facts } = read([initialized, opened, says('a'), cost(0.1), over(), says('b'), over(), cost(0.3)]);
    assert.deepEqual(
      facts.reports.map(({ usd, usdCover }) => [usd, usdCover]),
      [
        [null, undefined],
        [0.3, 'session'],
      ],
    );
  });

  it('keep a cost that was told in a turn that never ended', () => {
    const cost = update('usage_update', { used: 1, size: 2, cost: { amount: 1.23, currency: 'USD' } });
    const { facts } = read([initialized, opened, says('a'), cost]);
    assert.equal(facts.sessionUsd, 1.23);
    const { metadata } = runResult(facts, { code: null, signal: 'SIGKILL' }, [], { prices: testPrices });
    assert.deepEqual([metadata?.cost, metadata?.costProvenance.provenance], [1.23, 'reported']);
  });
});
