import assert from 'node:assert/strict';
import { estimate, runResult } from '../../../../src/insight/ledger/ledger.ts';
import { resultMetadataSchema, type ResultMetadata } from '../../../../src/model/session/result.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';
import { message, report, runFacts, testPrices } from '../../../support/sessions/facts.ts';

const priceTable = { name: 'test', date: '2026-01-01' };
/** As an agent prints that does not name its model. */
const facts = runFacts({
  model: null,
  reports: [report({ usage: { input: 1_000_000, output: 10_000 }, cover: { of: 'run', sure: true } })],
});

function after(previous: readonly ResultMetadata[], askedModel: string | null, of = facts): ResultMetadata {
  const { metadata } = runResult(of, { code: 0, signal: null }, previous, { prices: testPrices, askedModel });
  return resultMetadataSchema.parse(metadata);
}

function why(cost: Cost): string {
  assert.equal(cost.provenance, 'unknown');
  return cost.reason;
}

describe('the cost of an agent that reports no model', () => {
  it('is estimated for the requested model, with a note', () => {
    const run = after([], 'model-a');
    const reason = 'The agent did not report its model; this is the price of model-a, which you selected.';
    assert.deepEqual(run.costProvenance, { provenance: 'estimated', usd: 1.01, priceTable, reason });
    assert.deepEqual(run.totalCostProvenance, run.costProvenance);
    assert.equal(run.cost, 1.01);
    assert.equal(run.askedModel, 'model-a');
    assert.deepEqual(
      run.models.map(({ model }) => model),
      ['unknown'],
    );
    assert.deepEqual(estimate(facts, [], { prices: testPrices, askedModel: 'model-a' }).cost, run.costProvenance);
  });

  it('is unknown without a requested model, or without its price', () => {
    const run = after([], null);
    assert.equal(why(run.costProvenance), 'The agent did not report its model.');
    assert.equal(run.cost, null);
    assert.equal('askedModel' in run, false);
    assert.match(why(after([], 'model-z').costProvenance), /No price is known for the model model-z/);
  });

  it('uses the model of earlier runs if they all requested the same', () => {
    const first = after([], 'model-a');
    const second = after([first], null);
    assert.equal(second.cost, 1.01);
    assert.equal(second.totalCost, 2.02);
    assert.equal(second.askedModel, 'model-a');
    assert.match(JSON.stringify(second.costProvenance), /model-a, which you selected for the earlier runs/);
    assert.equal(after([first, second], null).totalCost, 3.03);
  });

  it('is unknown if earlier runs requested different models, or some none', () => {
    const named = after([], 'model-a');
    const other = after([named], 'model-b');
    assert.match(why(after([named, other], null).costProvenance), /you selected different models/);
    const none = after([], null);
    assert.match(why(after([none, after([none], 'model-a')], null).costProvenance), /you selected different models/);
  });

  it('is per message if messages name no model, and by the reported model otherwise', () => {
    const messages = [message({ model: null }), message({ messageId: 'msg_2' })];
    const mixed = after([], 'model-a', runFacts({ model: null, messages }));
    assert.match(JSON.stringify(mixed.costProvenance), /which you selected\./);
    const named = after([], 'model-z', runFacts({ messages: [message()] }));
    assert.deepEqual(named.costProvenance, { provenance: 'estimated', usd: 0.00011, priceTable });
  });
});
