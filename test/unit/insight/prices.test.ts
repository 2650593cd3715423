import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { sameUsd } from '../../../src/insight/money.ts';
import {
  findPrice,
  loadPrices,
  priceOf,
  priceOfRequest,
  pricesProblem,
  type PriceTable,
} from '../../../src/insight/prices.ts';
import { linesOfCapture } from '../../support/agentCaptures.ts';
import { claudeCaptures, normalized } from '../../support/captures.ts';
import { repository } from '../../support/host/cache.mjs';

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
  it('finds a model by the names it goes by', () => {
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

  it('has no price for a model whose name only begins like one it knows', () => {
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

  it('prices a long request as such, and not a sum of short ones', () => {
    const price = table.models['gpt-x']!;
    assert.equal(priceOfRequest({ input: 1000, output: 1000 }, price), 0.009);
    assert.equal(priceOfRequest({ input: 600, cacheRead: 401, output: 1000 }, price), 0.014002);
    assert.equal(priceOf({ input: 600, cacheRead: 401, output: 1000 }, price), 0.009001);
  });

  it('is small, named and dated', async () => {
    const { name, date, models } = await loadPrices();
    assert.match(name, /^genai-prices \d+\.\d+\.\d+$/);
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    assert.ok(Object.keys(models).length > 100);
    assert.ok(statSync(path.join(repository, 'src/insight/prices.json')).size < 60_000);
  });

  it('agrees with what real programs charged', async () => {
    const prices = await loadPrices();
    const agreed = new Set<string>();
    const unpriced = new Set<string>();
    for (const capture of claudeCaptures()) {
      for (const report of normalized(linesOfCapture(capture), capture.exit).facts.reports) {
        for (const { model, usd, ...usage } of report.models) {
          const price = findPrice(prices, model);
          if (price === undefined) unpriced.add(model);
          else if (usd !== undefined) {
            assert.ok(sameUsd(priceOf(usage, price), usd), `${capture.name}: ${model} ${priceOf(usage, price)} ${usd}`);
            agreed.add(model);
          }
        }
      }
    }
    assert.ok(agreed.size >= 6, [...agreed].join(', '));
    assert.deepEqual([...unpriced].sort(), ['claude-haiku-5-5', 'claude-sonnet-5-5', 'my-custom-model']);
  });
});

describe('prices of a user', () => {
  const own = {
    date: '2026-01-31',
    models: { 'Tea-1': { input: 3, output: 15 }, 'claude-opus-5-5': { input: 1, output: 2 } },
    aliases: { 'another-name': 'Tea-1' },
  };

  it('count before those that ship, and estimates name both tables', async () => {
    const shipped = await loadPrices();
    const table = await loadPrices(own);
    assert.deepEqual(findPrice(table, 'tea-1'), { input: 3, output: 15 });
    assert.deepEqual(findPrice(table, 'another-name'), { input: 3, output: 15 });
    assert.deepEqual(findPrice(table, 'anthropic/claude-opus-5-5-20260101'), { input: 1, output: 2 });
    assert.deepEqual(findPrice(table, 'claude-3-5-sonnet'), findPrice(shipped, 'claude-3-5-sonnet'));
    assert.deepEqual([table.name, table.date], [`your own, else ${shipped.name} of ${shipped.date}`, '2026-01-31']);
    assert.equal(findPrice(await loadPrices(), 'tea-1'), undefined, 'the one that ships stays as it is');
  });

  it('that are wrong count not at all, and it is said what is', async () => {
    for (const wrong of [{}, { date: 1 }, { ...own, models: { a: { input: -1, output: 1 } } }, 'text', null]) {
      assert.deepEqual(await loadPrices(wrong), await loadPrices());
      assert.match(pricesProblem(wrong) ?? '', /: .+/);
    }
    assert.deepEqual([pricesProblem(own), pricesProblem(undefined)], [null, null]);
  });
});
