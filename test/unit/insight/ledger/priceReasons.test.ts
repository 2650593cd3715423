import assert from 'node:assert/strict';
import { MessageUsages, tokenUsage } from '../../../../src/agents/claude-code/figures/usage.ts';
import { estimate, runResult } from '../../../../src/insight/ledger/ledger.ts';
import type { PriceTable } from '../../../../src/insight/prices/prices.ts';
import { messageCosts } from '../../../../src/insight/usage/spending.ts';
import type { MessageUsage } from '../../../../src/model/usage/facts.ts';
import { message, report, runFacts, testPrices } from '../../../support/sessions/facts.ts';

const prices: PriceTable = {
  ...testPrices,
  models: {
    'model-a': { input: 1, output: 1 },
    'model-long': { input: 1, output: 1, long: { over: 1000, rates: { input: 2, output: 2 } } },
  },
};

function seen(usage: object): MessageUsage {
  const usages = new MessageUsages();
  usages.addUsage({ messageId: 'msg_1', model: 'model-a', parentCallId: null, usage, isFinal: true });
  const [only] = usages.all();
  assert.ok(only !== undefined);
  return only;
}

describe('what an estimate leaves out', () => {
  it('includes long requests in sums, but not in single requests', () => {
    const reasonOf = (input: number): string | undefined => {
      const line = report({ usage: { input, output: 1 }, models: [{ model: 'model-long', input, output: 1 }] });
      const { costProvenance } = runResult(runFacts({ reports: [line] }), { code: 0, signal: null }, [], {
        prices,
      }).metadata!;
      return costProvenance.provenance === 'estimated' ? costProvenance.reason : undefined;
    };
    assert.equal(reasonOf(1000), undefined);
    assert.match(reasonOf(1001) ?? '', /more than 1,000 input tokens .* a minimum/);
    const requests = [700, 700].map((input) => message({ model: 'model-long', usage: { input } }));
    const known = estimate(runFacts({ messages: requests }), [], { prices }).cost;
    assert.deepEqual(known, { provenance: 'estimated', usd: 0.0014, priceTable: { name: 'test', date: '2026-01-01' } });
  });

  it('includes speeds, tiers and regions without a rate', () => {
    const base = { input_tokens: 100, output_tokens: 10 };
    const cases: readonly (readonly [object, RegExp | null])[] = [
      [{ speed: 'standard', service_tier: 'standard', inference_geo: '' }, null],
      [{ inference_geo: 'not_available', service_tier: 'default' }, null],
      [{ speed: 'fast' }, /tier “fast”/],
      [{ service_tier: 'batch' }, /tier “batch”/],
      [{ service_tier: 'priority', speed: 'fast' }, /“fast”.*“priority”/],
      [{ inference_geo: 'us' }, /region “us”/],
      [{ server_tool_use: { web_search_requests: 2 } }, /web searches/],
      [{ server_tool_use: { code_execution_requests: 1 } }, /code execution/],
    ];
    for (const [overrides, expected] of cases) {
      const own = seen({ ...base, ...overrides });
      const [single] = messageCosts([own], prices, null);
      const { cost } = estimate(runFacts({ messages: [own] }), [], { prices });
      for (const figure of [single?.cost, cost]) {
        assert.ok(figure?.provenance === 'estimated', JSON.stringify(overrides));
        if (expected === null) assert.equal(figure.reason, undefined, JSON.stringify(overrides));
        else assert.match(figure.reason ?? '', expected);
      }
    }
  });

  it('excludes 1-hour cache writes, which are counted separately', () => {
    const creation = { ephemeral_1h_input_tokens: 400, ephemeral_5m_input_tokens: 3700 };
    const both = { cacheWrite: 4100, cacheWrite1h: 400 };
    assert.deepEqual(tokenUsage({ cache_creation_input_tokens: 4100, cache_creation: creation }), both);
    assert.deepEqual(tokenUsage({ cache_creation: creation }), both, 'a server that prints the parts alone');
    assert.deepEqual(tokenUsage({ cache_creation_input_tokens: 4100 }), { cacheWrite: 4100 });
    assert.deepEqual(tokenUsage({ cache_creation: { ephemeral_1h_input_tokens: 'x' } }), {});
  });
});
