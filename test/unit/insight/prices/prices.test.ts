import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  findPrice,
  loadPrices,
  priceOf,
  priceOfRequest,
  pricesProblem,
  missingRateReasons,
  type PriceTable,
} from '../../../../src/insight/prices/prices.ts';
import { adapters } from '../../../../src/agents/registry.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../support/captures/agentCaptures.ts';
import { repository } from '../../../support/host/install/cache.mjs';

const table: PriceTable = {
  name: 'test',
  date: '2026-01-01',
  models: {
    'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, webSearch: 10 },
    'claude-sonnet-5': { input: 2, output: 10 },
    'gpt-x': { input: 1, output: 8, long: { over: 1000, rates: { input: 2, output: 12 } } },
  },
  aliases: { 'claude-5-5-opus': 'claude-opus-5-5' },
};

describe('price table', () => {
  it('finds a model by any of its names', () => {
    const names = [
      'claude-opus-5-5',
      'claude-5-5-opus',
      'Claude-Opus-5-5',
      'claude-opus-5-5[1m]',
      'claude-opus-5-5-20260901',
      'claude-opus-5-5-20260901[1m]',
      'claude-opus-5-5@20260901',
      'claude-opus-5-5-latest',
      'anthropic/claude-opus-5-5',
      'us.anthropic.claude-opus-5-5-20260901-v1:0',
    ];
    for (const name of names) assert.equal(findPrice(table, name), table.models['claude-opus-5-5'], name);
  });

  it('has no price for a model whose name only starts like a known one', () => {
    for (const name of [
      'claude-sonnet-5-5',
      'claude-sonnet-5x',
      'claude',
      '',
      '__proto__',
      'constructor',
      '<synthetic>',
    ]) {
      assert.equal(findPrice(table, name), undefined, name);
    }
  });

  it('prices each kind of token', () => {
    const usage = { input: 12, output: 50, cacheRead: 2000, cacheWrite: 1000 };
    assert.equal(priceOf(usage, table.models['claude-opus-5-5']!), 0.006448);
    assert.equal(priceOf({ webSearches: 3 }, table.models['claude-opus-5-5']!), 0.03);
    assert.equal(priceOf({ cacheRead: 1e6, cacheWrite: 1e6 }, table.models['claude-sonnet-5']!), 4);
    assert.equal(priceOf({}, table.models['claude-sonnet-5']!), 0);
  });

  it('prices long requests individually, not by their sum', () => {
    const price = table.models['gpt-x']!;
    assert.equal(priceOfRequest({ input: 1000, output: 1000 }, price), 0.009);
    assert.equal(priceOfRequest({ input: 600, cacheRead: 401, output: 1000 }, price), 0.014002);
    assert.equal(priceOf({ input: 600, cacheRead: 401, output: 1000 }, price), 0.009001);
  });

  it('prices 1-hour cache writes separately, if it has a price', () => {
    const price = { input: 5, output: 25, cacheWrite: 6.25, cacheWrite1h: 10 };
    const usage = { cacheWrite: 60_000, cacheWrite1h: 50_000 };
    assert.equal(priceOf(usage, price), 0.5625);
    assert.equal(priceOf(usage, { input: 5, output: 25, cacheWrite: 6.25 }), 0.375);
    assert.equal(priceOf(usage, { input: 5, output: 25 }), 0.3);
    assert.equal(priceOf({ cacheWrite: 10, cacheWrite1h: 20 }, price), 0.0001, 'a part is no more than its sum');
  });

  it('prices requests on other terms by their rates, and reports unknown terms', () => {
    const price = { input: 5, output: 25, terms: { fast: { input: 30, output: 150 }, 'geo:us': { input: 5.5 } } };
    const usage = { input: 1000, output: 1000 };
    assert.equal(priceOfRequest(usage, price), 0.03);
    assert.equal(priceOfRequest(usage, price, ['fast']), 0.18);
    assert.equal(priceOfRequest(usage, price, ['priority']), 0.03);
    assert.deepEqual(missingRateReasons(usage, price, ['fast', 'geo:us']), []);
    assert.match(missingRateReasons(usage, price, ['priority']).join(), /service tier “priority”/);
    assert.match(missingRateReasons(usage, price, ['geo:eu']).join(), /region “eu”/);
    assert.match(missingRateReasons(usage, price, ['__proto__']).join(), /no rate/);
    assert.match(missingRateReasons({ ...usage, webSearches: 1 }, price).join(), /web searches/);
  });

  it("has a snapshot's own price, if any, and no prices for local models", async () => {
    const prices = await loadPrices();
    const rates = (name: string): unknown[] => [findPrice(prices, name)?.input, findPrice(prices, name)?.output];
    assert.deepEqual(rates('gpt-4o-2024-05-13'), [5, 15]);
    assert.deepEqual(rates('gpt-4o-2024-08-06'), [2.5, 10]);
    assert.deepEqual(rates('openai/gpt-4o-2024-08-06'), [2.5, 10]);
    assert.deepEqual(rates('gpt-4o-2031-01-01'), [undefined, undefined]);
    const local = ['ollama', 'lmstudio', 'lm-studio', 'llama.cpp', 'localhost', 'vllm', 'github-copilot', 'my-proxy'];
    for (const provider of local) {
      for (const model of ['gpt-oss-20b', 'openai/gpt-oss-20b', 'gpt-4o', 'claude-opus-5-5', 'openai/gpt-4o'])
        assert.equal(findPrice(prices, `${provider}/${model}`), undefined, `${provider}/${model}`);
    }
    assert.equal(findPrice(prices, 'openai/gpt-oss-20b'), undefined, 'which others run, at their price');
    for (const name of ['openrouter/anthropic/claude-opus-5-5', 'vertex_ai/claude-opus-5-5@20260901'])
      assert.equal(findPrice(prices, name), findPrice(prices, 'claude-opus-5-5'), name);
  });

  it('is small, named and dated', async () => {
    const { name, date, models } = await loadPrices();
    assert.match(name, /^genai-prices \d+\.\d+\.\d+$/);
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    assert.ok(Object.keys(models).length > 100);
    assert.ok(statSync(path.join(repository, 'src/insight/prices/prices.json')).size < 60_000);
  });

  it('agrees within 0.1 % with the charges of real programs, if they report the tokens', async () => {
    const prices = await loadPrices();
    const agreed = new Set<string>();
    const unpriced = new Set<string>();
    const off: string[] = [];
    let hours = 0;
    for (const adapter of adapters) {
      for (const capture of capturesOf(adapter.type)) {
        for (const { models } of readBy(adapter, linesOfCapture(capture), capture.exit).facts.reports) {
          for (const { model, usd, ...usage } of models) {
            const price = findPrice(prices, model);
            if (price === undefined) unpriced.add(model);
            else if (usd !== undefined && usd > 0) {
              const percent = (priceOf(usage, price) / usd - 1) * 100;
              if (Math.abs(percent) > 0.1) off.push(`${adapter.type} ${capture.name}: ${model} ${percent} %`);
              if ((usage.cacheWrite1h ?? 0) > 0) hours += 1;
              agreed.add(model);
            }
          }
        }
      }
    }
    assert.deepEqual(off, []);
    assert.ok(agreed.size >= 6, [...agreed].join(', '));
    assert.ok(hours > 0, 'no capture has writes for an hour');
    assert.ok(['claude-haiku-5-5', 'claude-sonnet-5-5', 'my-custom-model'].every((model) => unpriced.has(model)));
  });
});

describe("the user's prices", () => {
  const own = {
    date: '2026-01-31',
    models: { 'Tea-1': { input: 3, output: 15 }, 'claude-opus-5-5': { input: 1, output: 2 } },
    aliases: { 'another-name': 'Tea-1' },
  };

  it('override the built-in ones, and estimates name both tables', async () => {
    const shipped = await loadPrices();
    const table = await loadPrices(own);
    assert.deepEqual(findPrice(table, 'tea-1'), { input: 3, output: 15 });
    assert.deepEqual(findPrice(table, 'another-name'), { input: 3, output: 15 });
    assert.deepEqual(findPrice(table, 'anthropic/claude-opus-5-5-20260101'), { input: 1, output: 2 });
    assert.deepEqual(findPrice(table, 'claude-3-5-sonnet'), findPrice(shipped, 'claude-3-5-sonnet'));
    assert.deepEqual([table.name, table.date], [`your own, else ${shipped.name} of ${shipped.date}`, '2026-01-31']);
    assert.equal(findPrice(await loadPrices(), 'tea-1'), undefined, 'the one that ships stays as it is');
  });

  it('are ignored if invalid, with the reason', async () => {
    for (const wrong of [{}, { date: 1 }, { ...own, models: { a: { input: -1, output: 1 } } }, 'text', null]) {
      assert.deepEqual(await loadPrices(wrong), await loadPrices());
      assert.match(pricesProblem(wrong) ?? '', /: .+/);
    }
    assert.deepEqual([pricesProblem(own), pricesProblem(undefined)], [null, null]);
  });
});
