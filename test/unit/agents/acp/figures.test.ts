import assert from 'node:assert/strict';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { initialized, opened, stop, read, says, update } from '../../../support/captures/acpLines.ts';
import { testPrices } from '../../../support/sessions/facts.ts';

describe('figures of the Agent Client Protocol', () => {
  it('tell by the total which tokens a figure includes', () => {
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

  it('assign the newest cost of the conversation to the last turn, even if it comes late', () => {
    const cost = (amount: number) => update('usage_update', { used: 1, size: 2, cost: { amount, currency: 'USD' } });
    const { facts } = read([initialized, opened, says('a'), cost(0.1), stop(), says('b'), stop(), cost(0.3)]);
    assert.deepEqual(
      facts.reports.map(({ usd, usdCover }) => [usd, usdCover]),
      [
        [null, undefined],
        [0.3, 'session'],
      ],
    );
  });

  it('mark tokens of the last model call only, as OpenCode 1.1 reports them', () => {
    const tool = update('tool_call', { toolCallId: 't', title: 'Read', kind: 'read', status: 'completed' });
    const used = (tokens: number) =>
      update('usage_update', { used: tokens, size: 200_000, cost: { amount: 0.02, currency: 'USD' } });
    const ended = (usage: object) => ({ id: 2, result: { stopReason: 'end_turn', usage } });
    const last = {
      inputTokens: 100,
      outputTokens: 9,
      cachedReadTokens: 5000,
      cachedWriteTokens: 40,
      totalTokens: 5149,
    };
    const of = (...messages: readonly object[]) => {
      const { facts } = read([initialized, opened, ...messages]);
      return runResult(facts, { code: 0, signal: null }, [], { prices: testPrices }).metadata;
    };
    for (const context of [5100, 5140]) {
      const metadata = of(tool, says('a'), used(context), ended(last));
      assert.deepEqual([metadata?.tokensOf, metadata?.cost], ['last_call', 0.02]);
    }
    // One call, or tokens that are more than the context of the last one.
    assert.equal(of(says('a'), used(5100), ended(last))?.tokensOf, undefined);
    assert.equal(of(tool, says('a'), used(2600), ended(last))?.tokensOf, undefined);
  });

  it('keep a cost from a turn that never ended', () => {
    const cost = update('usage_update', { used: 1, size: 2, cost: { amount: 1.23, currency: 'USD' } });
    const { facts } = read([initialized, opened, says('a'), cost]);
    assert.equal(facts.sessionUsd, 1.23);
    const { metadata } = runResult(facts, { code: null, signal: 'SIGKILL' }, [], { prices: testPrices });
    assert.deepEqual([metadata?.cost, metadata?.costProvenance.provenance], [1.23, 'reported']);
  });
});
