import assert from 'node:assert/strict';
import type { PriceTable } from '../../../../src/insight/prices/prices.ts';
import {
  groupSpent,
  messageCosts,
  modelParts,
  spendingOfSession,
  type RunSpending,
} from '../../../../src/insight/usage/spending.ts';
import { sessionSummarySchema } from '../../../../src/model/session/summary.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';

const reported = (usd: number): Cost => ({ provenance: 'reported', usd });
const estimated = (usd: number): Cost => ({
  provenance: 'estimated',
  usd,
  priceTable: { name: 'list', date: '2026-11-01' },
});
const unknown: Cost = { provenance: 'unknown', reason: 'no price' };
const day = (at: string): string => at.slice(0, 10);

const spent = (runId: string, at: string, cost: Cost, overrides: Partial<RunSpending> = {}): RunSpending => ({
  sessionId: 'ses_0123456789ab',
  runId,
  at,
  agent: 'Claude Code',
  cost,
  models: [],
  ...overrides,
});

const summary = sessionSummarySchema.parse({
  session_id: 'ses_0123456789ab',
  status: 'finished',
  created_at: '2026-11-01T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  agent_label: 'Claude Code',
  prompt: '',
  runs: 3,
  entries: 9,
  cost: reported(0.2),
  total_cost: reported(0.7),
});

describe('cost totals', () => {
  const all = [
    spent('run_1', '2026-11-20T10:00:00Z', reported(0.1)),
    spent('run_2', '2026-11-20T23:00:00Z', estimated(0.2)),
    spent('run_3', '2026-11-21T01:00:00Z', unknown, { sessionId: 'ses_b', agent: 'Codex' }),
    spent('run_4', '2026-12-01T01:00:00Z', reported(0.4), { sessionId: 'ses_b', agent: 'Codex' }),
  ];

  it('are by day and month, with estimated and missing parts', () => {
    const groups = groupSpent(all, 'day', day);
    assert.deepEqual(
      groups.map(({ key, usd, estimatedUsd, unknown: missing, runs }) => [key, usd, estimatedUsd, missing, runs]),
      [
        ['2026-11-20', 0.3, 0.2, 0, 2],
        ['2026-11-21', null, 0, 1, 1],
        ['2026-12-01', 0.4, 0, 0, 1],
      ],
    );
    assert.deepEqual(
      groupSpent(all, 'month', day).map(({ key, usd, unknown: missing }) => [key, usd, missing]),
      [
        ['2026-11', 0.3, 1],
        ['2026-12', 0.4, 0],
      ],
    );
  });

  it('are by agent, the most expensive first', () => {
    assert.deepEqual(
      groupSpent(all, 'agent', day).map(({ key, usd, sessions }) => [key, usd, sessions]),
      [
        ['Codex', 0.4, 1],
        ['Claude Code', 0.3, 1],
      ],
    );
  });

  it('are by model if a run reports the cost of each', () => {
    const two = [
      { model: 'a', input: 10, usd: 0.1 },
      { model: 'b', output: 5, usd: 0.3 },
    ];
    const groups = groupSpent([spent('run_1', '2026-11-20', reported(0.4), { models: two })], 'model', day);
    assert.deepEqual(
      groups.map(({ key, usd, usage }) => [key, usd, usage]),
      [
        ['b', 0.3, { output: 5 }],
        ['a', 0.1, { input: 10 }],
      ],
    );
    const untold = modelParts(reported(0.4), [
      { model: 'a', input: 10 },
      { model: 'b', output: 5 },
    ]);
    assert.deepEqual(
      untold.map(({ cost }) => cost.provenance),
      ['unknown', 'unknown'],
    );
    assert.deepEqual(
      modelParts(estimated(0.4), [{ model: 'a', input: 10 }]).map(({ cost }) => cost),
      [estimated(0.4)],
    );
    assert.deepEqual(
      modelParts(reported(1), []).map(({ model, cost }) => [model, cost]),
      [['unknown', reported(1)]],
    );
  });

  it("count every run on its day, and the rest of the total on the session's first day", () => {
    const runs = [
      {
        run_id: 'run_3',
        started_at: '2026-11-19T10:00:00Z',
        completed_at: '2026-11-20T10:00:00Z',
        cost: reported(0.2),
      },
    ];
    assert.deepEqual(
      spendingOfSession(summary, runs).map(({ at, cost }) => [at, cost]),
      [['2026-11-20T10:00:00Z', reported(0.2)]],
    );
    const [rest] = spendingOfSession(summary, runs, 2);
    assert.deepEqual([rest?.runId, rest?.at, rest?.cost], [null, summary.created_at, reported(0.5)]);
  });

  it('estimate single messages, or give a reason', () => {
    const prices: PriceTable = {
      name: 'list',
      date: '2026-11-01',
      models: { m: { input: 1, output: 10 } },
      aliases: {},
    };
    const message = (model: string | null, usage: object) => ({
      messageId: 'msg',
      model,
      usage,
      parentCallId: null,
      settled: true,
    });
    const costs = messageCosts(
      [
        message('m', { input: 1_000_000, output: 100_000 }),
        message('x', { input: 1 }),
        message(null, { input: 1 }),
        message('m', {}),
      ],
      prices,
      null,
    );
    assert.deepEqual(
      costs.map(({ cost }) => cost),
      [
        estimated(2),
        { provenance: 'unknown', reason: 'No price is known for the model x.' },
        { provenance: 'unknown', reason: 'The agent did not report its model.' },
        { provenance: 'unknown', reason: 'The agent did not report the usage of this message.' },
      ],
    );
  });
});
