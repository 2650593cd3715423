import assert from 'node:assert/strict';
import { uncachedResumeCost } from '../../../../src/insight/session/uncachedResumeCost.ts';
import { contextTokens } from '../../../../src/insight/session/contextTokens.ts';
import { descendantsOf } from '../../../../src/insight/session/descendants.ts';
import type { PriceTable } from '../../../../src/insight/prices/prices.ts';
import { spendingOfSession, type RunSpending } from '../../../../src/insight/usage/spending.ts';
import { usageReport } from '../../../../src/insight/usage/usageReport.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';
import { message } from '../../../support/sessions/facts.ts';
import { aSummary } from '../../../support/sessions/records.ts';

const reported = (usd: number): Cost => ({ provenance: 'reported', usd });
const unknown: Cost = { provenance: 'unknown', reason: 'no price' };
const day = (at: string): string => at.slice(0, 10);

const spent = (at: string, cost: Cost, overrides: Partial<RunSpending> = {}): RunSpending => ({
  sessionId: 'ses_0123456789ab',
  runId: at,
  at,
  agent: 'Claude Code',
  cost,
  models: [{ model: 'm', input: 10 }],
  ...overrides,
});

describe('the usage of a month', () => {
  const all = [
    spent('2026-10-31T23:59:00Z', reported(5)),
    spent('2026-11-02T10:00:00Z', reported(1)),
    spent('2026-11-21T10:00:00Z', unknown, { agent: 'Codex' }),
    spent('2026-11-21T11:00:00Z', reported(2)),
  ];

  it('has every day up to today, and separates tokens of unknown cost', () => {
    const report = usageReport(all, '2026-11', '2026-11-21', day);
    assert.equal(report.days.length, 21);
    assert.deepEqual(
      report.days.filter(({ runs }) => runs > 0).map(({ key, usd, unknown: missing }) => [key, usd, missing]),
      [
        ['2026-11-02', 1, 0],
        ['2026-11-21', 2, 1],
      ],
    );
    assert.deepEqual([report.total.usd, report.total.runs, report.total.unknownUsage], [3, 3, { input: 10 }]);
    assert.deepEqual([report.day.usd, report.day.unknown], [2, 1]);
    assert.deepEqual(
      report.agents.map(({ key, usd }) => [key, usd]),
      [
        ['Claude Code', 3],
        ['Codex', null],
      ],
    );
    assert.deepEqual([report.first, report.last], ['2026-10', '2026-11']);
  });

  it('covers whole past months, and shows missing usage as unknown, not free', () => {
    const past = usageReport(all, '2026-10', '2026-11-21', day);
    assert.deepEqual([past.days.length, past.total.usd, past.day.usd], [31, 5, 2]);
    assert.equal(usageReport([], '2024-02', '2026-11-21', day).days.length, 29);
    assert.equal(usageReport([], '2100-02', '2026-11-21', day).days.length, 28);
    assert.equal(usageReport([], '2026-11', '2026-11-21', day).total.usd, null);
  });

  it('takes the models of a single run from the session, and everything from a session without runs', () => {
    const summary = aSummary({ total_usage: { input: 7 }, total_cost: reported(0.5) });
    const run = { run_id: 'run_1', started_at: '2026-11-02T10:00:00Z', cost: reported(0.5) };
    assert.deepEqual(spendingOfSession(summary, [run])[0]?.models, [{ model: 'claude-sonnet-4-5', input: 7 }]);
    assert.deepEqual(spendingOfSession(summary, [{ ...run, models: [{ model: 'a', input: 1 }] }])[0]?.models, [
      { model: 'a', input: 1 },
    ]);
    const [whole] = spendingOfSession(summary, []);
    assert.deepEqual([whole?.runId, whole?.cost, whole?.at], [null, reported(0.5), summary.created_at]);
  });
});

describe('child sessions', () => {
  const row = (id: string, parent?: string) => ({ session_id: id, parent_session_id: parent });

  it('include descendants, each once', () => {
    const all = [row('a'), row('b', 'a'), row('c', 'b'), row('d', 'a'), row('e', 'x')];
    assert.deepEqual(
      descendantsOf(all, 'a')
        .map(({ session_id: id }) => id)
        .sort(),
      ['b', 'c', 'd'],
    );
  });

  it('end at cycles in records', () => {
    const all = [row('a', 'c'), row('b', 'a'), row('c', 'b'), row('s', 's')];
    assert.deepEqual(
      descendantsOf(all, 'a').map(({ session_id: id }) => id),
      ['b', 'c'],
    );
    assert.deepEqual(descendantsOf(all, 's'), []);
  });
});

describe('the size of a conversation', () => {
  const usage = { input: 10, cacheRead: 900, cacheWrite: 50, output: 40 };

  it('is the input and output of the newest answer in the main conversation', () => {
    const messages = [message({ usage }), message({ parentCallId: 'call_1', usage: { input: 99_999 } })];
    assert.equal(contextTokens({ messages }), 1000);
    assert.equal(contextTokens({ messages: [message({ usage }), message({ usage: {} })] }), 1000);
  });

  it("is the agent's count if reported, otherwise null", () => {
    assert.equal(contextTokens({ messages: [message({ usage })], contextTokens: 5 }), 5);
    assert.equal(contextTokens({ messages: [] }), null);
  });
});

describe('resuming with an expired cache', () => {
  const prices: PriceTable = {
    name: 'list',
    date: '2026-11-01',
    models: { m: { input: 1, output: 5, cacheWrite: 2 }, plain: { input: 3, output: 5 } },
    aliases: {},
  };

  it('writes the whole conversation to the cache again, or reads it as input without a cache price', () => {
    assert.deepEqual(uncachedResumeCost({ context_tokens: 1_000_000, model: 'm' }, prices), {
      provenance: 'estimated',
      usd: 2,
      priceTable: { name: 'list', date: '2026-11-01' },
    });
    const plain = uncachedResumeCost({ context_tokens: 1_000_000, model: 'plain' }, prices);
    assert.equal(plain.provenance === 'estimated' && plain.usd, 3);
  });

  it('is unknown with a reason if size, model or price are', () => {
    const reasons = [
      uncachedResumeCost({ model: 'm' }, prices),
      uncachedResumeCost({ context_tokens: 1, model: null }, prices),
      uncachedResumeCost({ context_tokens: 1, model: 'other' }, prices),
    ].map((cost) => (cost.provenance === 'unknown' ? cost.reason : ''));
    assert.deepEqual(reasons, [
      'The agent does not report the size of the conversation.',
      'The agent did not report its model.',
      'No price is known for the model other.',
    ]);
  });
});
