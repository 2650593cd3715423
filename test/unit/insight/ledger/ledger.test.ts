import assert from 'node:assert/strict';
import { estimate, runResult, type LedgerOptions } from '../../../../src/insight/ledger/ledger.ts';
import type { ExitInfo, RunFacts, RunReport } from '../../../../src/model/usage/facts.ts';
import { resultMetadataSchema, type ResultMetadata } from '../../../../src/model/session/result.ts';
import type { ModelUsage, TokenUsage } from '../../../../src/model/usage/usage.ts';
import { message, report, runFacts, testPrices } from '../../../support/sessions/facts.ts';

const options: LedgerOptions = { prices: testPrices };
const ended: ExitInfo = { code: 0, signal: null };
const killed: ExitInfo = { code: null, signal: 'SIGKILL' };
const priceTable = { name: 'test', date: '2026-01-01' };

function figures(facts: RunFacts, previous: readonly ResultMetadata[] = [], exit = ended): ResultMetadata {
  const { metadata } = runResult(facts, exit, previous, options);
  return resultMetadataSchema.parse(metadata);
}

const of = (input: number, output: number, usd: number, model = 'model-a'): ModelUsage => ({
  model,
  input,
  output,
  usd,
});

/** One run as versions with totals print it. */
function run(
  models: readonly ModelUsage[],
  usage: TokenUsage,
  overrides: Partial<RunReport> = {},
  own: Partial<RunFacts> = {},
): RunFacts {
  const usd = models.reduce((sum, model) => sum + (model.usd ?? 0), 0);
  return runFacts({
    reports: [report({ usd, models, usage, turns: 1, ...overrides })],
    messages: [message({ usage: { ...usage, output: 1 }, settled: false })],
    ...own,
  });
}

describe('ledger', () => {
  it('reads totals as cumulative if they grew by exactly the usage, whatever the version', () => {
    const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }, {}, { agentVersion: '2.1.100' }));
    const second = figures(run([of(130, 14, 0.144)], { input: 30, output: 4 }, {}, { agentVersion: '2.1.100' }), [
      first,
    ]);
    assert.equal(second.cost, 0.034);
    assert.equal(second.totalCost, 0.144);
    assert.equal(second.counters?.scope, 'session');
    assert.deepEqual(second.usage, { input: 30, output: 4 });
  });

  it('reads totals as per run if they decreased, whatever the version', () => {
    const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }, {}, { agentVersion: '2.2.0' }));
    const second = figures(run([of(30, 4, 0.034)], { input: 30, output: 4 }, {}, { agentVersion: '2.2.0' }), [first]);
    assert.equal(second.cost, 0.034);
    assert.equal(second.totalCost, 0.144);
    assert.equal(second.counters?.scope, 'run');
    assert.deepEqual(second.totalUsage, { input: 130, output: 14 });
  });

  it('reads totals as per run if they grew by less than the run used', () => {
    const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }));
    const second = figures(run([of(120, 12, 0.132)], { input: 120, output: 12 }), [first]);
    assert.equal(second.cost, 0.132);
    assert.equal(second.totalCost, 0.242);
  });

  it('decides by version if both readings are possible', () => {
    const previous = [figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }))];
    const laterRun = (agentVersion: string): ResultMetadata =>
      figures(run([of(400, 40, 0.44)], { input: 50, output: 5 }, {}, { agentVersion, sideCalls: 1 }), previous);
    assert.equal(laterRun('2.1.276').cost, 0.44);
    assert.equal(laterRun('2.1.277').cost, 0.33);
    assert.equal(laterRun('2.1.277').totalCost, 0.44);
    assert.equal(laterRun('3.0.0').cost, 0.33);
  });

  it("uses the installed program's version if the output has none", () => {
    const previous = [figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }))];
    const facts = run([of(400, 40, 0.44)], { input: 50, output: 5 }, {}, { sideCalls: 1 });
    const { metadata } = runResult(facts, ended, previous, { prices: testPrices, agentVersion: '2.1.300' });
    assert.equal(metadata?.cost, 0.33);
  });

  it('gives no number for an unknown part of a session', () => {
    const models = [of(1000, 100, 5)];
    const facts = run(models, { input: 30, output: 4 }, {}, { agentVersion: '2.1.300', model: 'no-price' });
    const result = figures(facts);
    assert.equal(result.cost, null);
    assert.equal(result.costProvenance.provenance, 'unknown');
    assert.equal(result.totalCost, 5);
    assert.deepEqual(result.usage, { input: 30, output: 4 });
  });

  it('reads a first total as the run’s if nothing shows an earlier run', () => {
    const facts = run([], { input: 30, output: 4 }, { usd: 0.01 }, { agentVersion: '2.1.300' });
    const first = figures(facts);
    assert.equal(first.cost, 0.01);
    assert.equal(first.costProvenance.provenance, 'reported');
    assert.equal(first.totalCost, 0.01);
  });

  it('estimates that part if the price table reproduces the agent’s total', () => {
    const facts = run([of(1000, 100, 0.0011)], { input: 30, output: 4 }, {}, { agentVersion: '2.1.300' });
    const result = figures(facts);
    assert.deepEqual(result.costProvenance, { provenance: 'estimated', usd: 0.000034, priceTable });
    assert.deepEqual(result.totalCostProvenance, { provenance: 'reported', usd: 0.0011 });
  });

  it("uses the run's own usage if it is printed", () => {
    const facts = run(
      [of(1000, 100, 1.1), of(5, 5, 0.01, 'model-b')],
      { input: 30, output: 4 },
      {
        runModels: [of(30, 4, 0.034), of(5, 5, 0.01, 'model-b')],
      },
    );
    const result = figures(facts);
    assert.equal(result.cost, 0.044);
    assert.equal(result.totalCost, 1.11);
    assert.deepEqual(result.usage, { input: 35, output: 9 });
    assert.equal(result.apiDuration, null);
  });

  it('reads tokens by model if the usage is zero', () => {
    const facts = run(
      [of(100000, 20000, 0.6)],
      { input: 0, output: 0 },
      { subtype: 'error_max_budget_usd', text: null },
    );
    const result = figures(facts);
    assert.equal(result.isMaxBudget, true);
    assert.equal(result.endReason, 'max_budget');
    assert.equal(result.cost, 0.6);
    assert.deepEqual(result.usage, { input: 100000, output: 20000 });
  });

  it('counts a message once and adds subagents if no models are printed', () => {
    const facts = runFacts({
      reports: [report({ usd: 0.5, turns: 1 })],
      messages: [
        message({ messageId: 'm1', usage: { input: 10, output: 1 } }),
        message({ messageId: 'm2', usage: { input: 5, output: 2 }, parentCallId: 'toolu_1', model: 'model-b' }),
      ],
    });
    const result = figures(facts);
    assert.deepEqual(result.usage, { input: 15, output: 3 });
    assert.deepEqual(
      result.models.map(({ model }) => model),
      ['model-a', 'model-b'],
    );
  });

  it('adds totals that restart within a process', () => {
    const reports = [report({ usd: 0.5, apiDurationMs: 100 }), report({ usd: 0.2, apiDurationMs: 40 })];
    const result = figures(runFacts({ reports }));
    assert.equal(result.cost, 0.7);
    assert.equal(result.apiDuration, 140);
  });

  it('reports zero only if the agent printed zero', () => {
    assert.deepEqual(figures(runFacts({ reports: [report({ usd: 0, isError: true })] })).costProvenance, {
      provenance: 'reported',
      usd: 0,
    });
    const failed = figures(
      runFacts({ sessionIds: [], lines: { total: 0, unknown: 0, malformed: 0, oversize: 0 } }),
      [],
      {
        code: 1,
        signal: null,
      },
    );
    assert.deepEqual(failed.costProvenance, { provenance: 'unknown', reason: 'The agent did not report a cost.' });
  });

  it('ignores a run that never started', () => {
    const nothing = runFacts({ sessionIds: [], lines: { total: 0, unknown: 0, malformed: 0, oversize: 0 } });
    const failed = figures(nothing, [], { code: 1, signal: null });
    const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }), [failed]);
    assert.equal(first.totalCost, 0.11);
    assert.equal(figures(nothing, [failed, first], { code: 1, signal: null }).totalCost, 0.11);
  });

  it('makes a total unknown if it includes a run without a price', () => {
    const lost = figures(runFacts({ messages: [message({ model: 'no-price' })] }), [], killed);
    assert.match(lost.costProvenance.provenance === 'unknown' ? lost.costProvenance.reason : '', /no-price/);
    assert.deepEqual(lost.usage, { input: 100, output: 10 });
    const second = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }, {}, { agentVersion: '2.0.0' }), [lost]);
    assert.equal(second.cost, 0.11);
    assert.equal(second.totalCost, null);
    assert.deepEqual(second.totalUsage, { input: 200, output: 20 });
  });

  it('does not decrease after an estimate that was too high', () => {
    const own = (input: number): Partial<RunReport> => ({ runModels: [of(input, 0, 0.1)] });
    const first = figures(run([of(100, 0, 0.1)], { input: 100, output: 0 }, own(100)));
    const lost = figures(runFacts({ messages: [message({ usage: { input: 1_000_000 } })] }), [first], killed);
    assert.equal(lost.totalCost, 1.1);
    const third = figures(run([of(1_000_300, 0, 0.5)], { input: 100, output: 0 }, own(100)), [first, lost]);
    assert.equal(third.cost, 0.1);
    assert.equal(third.totalCost, 1.1);
    assert.equal(third.totalCostProvenance.provenance, 'estimated');
  });

  it('keeps all ids of the session', () => {
    const first = figures(runFacts({ sessionIds: ['a'], reports: [report()] }));
    const second = figures(runFacts({ sessionIds: ['b'], reports: [report()] }), [first]);
    const third = figures(runFacts({ sessionIds: [], reports: [] }), [first, second], killed);
    assert.deepEqual([second.sessionId, second.originalSessionId], ['b', 'a']);
    assert.deepEqual([third.sessionId, third.originalSessionId], ['b', 'a']);
  });

  it('returns the whole last message, else the text of the closing line', () => {
    const data = (own: Partial<RunFacts>): string | undefined => runResult(runFacts(own), ended, [], options).data;
    assert.equal(
      data({ reports: [report({ text: 'end.' })], finalText: 'Beginning and end.', answer: 'x' }),
      'Beginning and end.',
    );
    assert.equal(data({ reports: [report({ text: 'All.' })] }), 'All.');
    assert.equal(data({ reports: [report({ isError: true, text: 'API Error' })], finalText: 'half' }), undefined);
  });

  describe('while a run streams', () => {
    it("is estimated with a named price table, and added to the session's cost", () => {
      const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }));
      const now = estimate(
        runFacts({ messages: [message({ usage: { input: 1_000_000, output: 5 } })] }),
        [first],
        options,
      );
      assert.deepEqual(now.cost, { provenance: 'estimated', usd: 1.000005, priceTable });
      assert.deepEqual(now.totalCost, { provenance: 'estimated', usd: 1.110005, priceTable });
      assert.deepEqual(now.totalUsage, { input: 1_000_100, output: 15 });
    });

    it("is unknown until the agent reports usage, and leaves the session's cost unchanged", () => {
      assert.equal(estimate(runFacts(), [], options).cost.provenance, 'unknown');
      const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }));
      const now = estimate(runFacts(), [first], options);
      assert.equal(now.cost.provenance, 'unknown');
      assert.deepEqual(now.totalCost, first.totalCostProvenance);
    });

    it('is unknown, not zero, if messages have no usage', () => {
      const first = figures(run([of(100, 10, 0.11)], { input: 100, output: 10 }));
      for (const usage of [{}, { input: 0, output: 0 }]) {
        const facts = runFacts({ messages: [message({ usage })] });
        const now = estimate(facts, [first], options);
        assert.equal(now.cost.provenance, 'unknown');
        assert.deepEqual(now.totalCost, first.totalCostProvenance);
        const cost = { provenance: 'unknown', reason: 'The agent did not report its usage.' };
        assert.deepEqual(figures(facts, [], killed).costProvenance, cost);
      }
      const beside = runFacts({ messages: [message({ usage: {} }), message()] });
      assert.deepEqual(figures(beside, [], killed).costProvenance, {
        provenance: 'estimated',
        usd: 0.00011,
        priceTable,
      });
    });

    it('is unknown for a model without a price, but tokens are shown', () => {
      const now = estimate(runFacts({ messages: [message({ model: 'no-price' })] }), [], options);
      assert.equal(now.cost.provenance, 'unknown');
      assert.deepEqual(now.usage, { input: 100, output: 10 });
      assert.equal(now.models[0]?.model, 'no-price');
    });

    it('is replaced by the agent’s own figure in the closing line', () => {
      const now = estimate(run([of(100, 10, 0.11)], { input: 100, output: 10 }), [], options);
      assert.deepEqual(now.cost, { provenance: 'reported', usd: 0.11 });
    });
  });

  describe('of an agent that prints tokens but no cost', () => {
    const thread = (input: number, output: number, of: 'run' | 'session', model: string | null = 'model-a'): RunFacts =>
      runFacts({ model, reports: [report({ usage: { input, output }, cover: { of, sure: false } })] });

    it('estimates the run from the tokens of its closing line', () => {
      const result = figures(thread(1_000_000, 10, 'run'));
      assert.deepEqual(result.costProvenance, { provenance: 'estimated', usd: 1.00001, priceTable });
      assert.deepEqual(result.usage, { input: 1_000_000, output: 10 });
      assert.equal(result.counters?.usd, null);
    });

    it('subtracts earlier usage from the tokens of a thread', () => {
      const first = figures(thread(1200, 60, 'session'));
      const second = figures(thread(2400, 120, 'session', 'no-price'), [first]);
      const lost = figures(runFacts({ reports: [] }), [first, second], killed);
      const third = figures(thread(3700, 190, 'session'), [first, second, lost]);
      assert.deepEqual(second.usage, { input: 1200, output: 60 });
      assert.deepEqual(second.totalUsage, { input: 2400, output: 120 });
      assert.equal(second.cost, null);
      assert.deepEqual(third.usage, { input: 1300, output: 70 });
    });

    it('reads decreased tokens as those of the run', () => {
      const first = figures(thread(2400, 120, 'session'));
      const second = figures(thread(1200, 60, 'session'), [first]);
      assert.deepEqual(second.usage, { input: 1200, output: 60 });
      assert.deepEqual(second.totalUsage, { input: 3600, output: 180 });
    });

    it('is unknown if a closing line has a model but no tokens', () => {
      const { costProvenance } = figures(runFacts({ reports: [report({ models: [{ model: 'model-a' }] })] }));
      assert.deepEqual(costProvenance, { provenance: 'unknown', reason: 'The agent did not report its usage.' });
    });

    it('has no cost if the agent did not report its model', () => {
      const { costProvenance, usage } = figures(thread(100, 10, 'run', null));
      assert.match(costProvenance.provenance === 'unknown' ? costProvenance.reason : '', /its model/);
      assert.deepEqual(usage, { input: 100, output: 10 });
    });
  });

  describe("the cost of a run printed next to the session's", () => {
    const printed = (runUsd: number, usd: number) => runFacts({ reports: [report({ runUsd, usd })] });

    it("is the run's; the other is the session's", () => {
      const { cost, totalCost } = figures(printed(0.05, 0.12));
      assert.deepEqual([cost, totalCost], [0.05, 0.12]);
    });

    it('is decided by the counters if both are equal', () => {
      const first = figures(printed(0.05, 0.05));
      const second = figures(printed(0.05, 0.05), [first]);
      assert.deepEqual([second.cost, second.totalCost], [0.05, 0.1]);
    });
  });
});
