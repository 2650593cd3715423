import assert from 'node:assert/strict';
import fc from 'fast-check';
import { boundsOf, parseBudgets, stricterBudgets } from '../../../../src/insight/budgets/limits.ts';
import { rootOf, sharedSpending, type BudgetOwner } from '../../../../src/insight/budgets/spentOfLimit.ts';
import {
  isNearLimit,
  isOverrun,
  isUsedUp,
  msToNext,
  budgetStatuses,
  mostUsed,
} from '../../../../src/insight/budgets/budgetStatus.ts';
import { TurnCount } from '../../../../src/insight/budgets/turnCount.ts';
import {
  addBudgetUsage,
  noUsage,
  type SessionRuns,
  type BudgetUsage,
} from '../../../../src/insight/budgets/usedBudget.ts';
import type { Bound, Budgets } from '../../../../src/model/usage/budget.ts';
import { budgetScopes, budgetUnits } from '../../../../src/model/usage/budgetNames.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';

const used = (change: Partial<BudgetUsage>): BudgetUsage => ({ ...noUsage, ...change });
const bound = (change: Partial<Bound>): Bound => ({ scope: 'run', unit: 'tokens', key: 'x', limit: 100, ...change });

describe('limits in settings', () => {
  it('apply if valid, and are reported if not', () => {
    const { value, problems } = parseBudgets({
      run: { usd: 1.5, turns: 2.7, tokens: 0, minutes: -1 },
      agents: { codex: { tokens: 10, dollars: 1 } },
      month: { usd: 1 },
      day: 'much',
    });
    assert.deepEqual(value, { run: { usd: 1.5, turns: 2 }, agents: { codex: { tokens: 10 } }, day: {} });
    assert.equal(problems.length, 4, problems.join('\n'));
    assert.deepEqual(parseBudgets(undefined), { value: {}, problems: [] });
    assert.equal(parseBudgets([1]).problems.length, 1);
  });

  const limits = fc.record(Object.fromEntries(budgetUnits.map((unit) => [unit, fc.integer({ min: 1, max: 1000 })])), {
    requiredKeys: [],
  });
  const budgets = fc.record(
    {
      ...Object.fromEntries(budgetScopes.map((scope) => [scope, limits])),
      agents: fc.dictionary(fc.constantFrom('codex', 'gemini'), limits),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Budgets>;

  it('of a workspace never raise those of the user', () => {
    const keys = Object.fromEntries(budgetScopes.map((scope) => [scope, 'key']));
    fc.assert(
      fc.property(budgets, budgets, (user, workspace) => {
        const both = boundsOf(stricterBudgets(user, workspace), 'codex', keys, []);
        for (const { scope, unit, limit } of boundsOf(user, 'codex', keys, [])) {
          const matching = both.find((status) => status.scope === scope && status.unit === unit);
          assert.ok(matching !== undefined && matching.limit <= limit);
        }
        assert.deepEqual(stricterBudgets(user, workspace), stricterBudgets(workspace, user));
      }),
    );
  });

  it('are raised for one key only', () => {
    const raise = bound({ scope: 'day', unit: 'usd', key: '2026-11-21', limit: 20 });
    const set = { day: { usd: 10 } };
    assert.deepEqual(boundsOf(set, 'codex', { day: '2026-11-21' }, [raise]), [raise]);
    assert.equal(boundsOf(set, 'codex', { day: '2026-11-22' }, [raise])[0]?.limit, 10);
    assert.deepEqual(boundsOf(set, 'codex', { run: 'x' }, [raise]), []);
  });
});

describe('use of a limit', () => {
  it('is near from 80 %, and reached when nothing is left; the last turn may end', () => {
    const at = (unit: Bound['unit'], spent: BudgetUsage) =>
      budgetStatuses([bound({ unit, limit: 10 })], { run: spent })[0]!;
    assert.equal(isNearLimit(at('tokens', used({ tokens: 7 }))), false);
    assert.equal(isNearLimit(at('tokens', used({ tokens: 8 }))), true);
    assert.equal(isOverrun(at('tokens', used({ tokens: 10 })), false), true);
    assert.equal(isOverrun(at('usd', used({ usd: 10 })), false), true);
    assert.equal(isOverrun(at('turns', used({ turns: 10 })), false), false);
    assert.equal(isOverrun(at('turns', used({ turns: 10 })), true), true);
    assert.equal(isUsedUp(at('turns', used({ turns: 10 }))), true);
    assert.equal(isOverrun(at('turns', used({ turns: 11 })), false), true);
    assert.equal(isOverrun(at('minutes', used({ ms: 600_000 })), false), true);
  });

  it('is not in US dollars if costs are unknown', () => {
    assert.deepEqual(budgetStatuses([bound({ unit: 'usd' })], { run: used({ tokens: 1e9 }) }), []);
  });

  it('names the tightest limit, and when a limit in minutes is reached', () => {
    const all = budgetStatuses([bound({ limit: 100 }), bound({ unit: 'minutes', limit: 10 })], {
      run: used({ tokens: 50, ms: 420_000 }),
    });
    assert.equal(mostUsed(all)?.unit, 'minutes');
    assert.equal(msToNext(all), 60_000);
    assert.equal(msToNext(budgetStatuses([bound({})], { run: noUsage })), null);
  });

  it('never counts an unknown cost as 0', () => {
    assert.equal(addBudgetUsage(noUsage, used({ usd: null })).usd, null);
    assert.equal(addBudgetUsage(used({ usd: 0.25 }), used({ usd: null })).usd, 0.25);
  });
});

const run = (id: string, at: string, usd: number | null, tokens: number) => ({
  run_id: id,
  started_at: at,
  completed_at: at,
  cost: usd === null ? { provenance: 'unknown' as const, reason: '' } : { provenance: 'reported' as const, usd },
  models: [{ model: 'm', input: tokens }],
  responses: 2,
  active_ms: 1000,
});

function session(
  id: string,
  change: Partial<SessionRuns['summary']>,
  turns: SessionRuns['turns'],
  omitted = 0,
): SessionRuns {
  const summary = {
    session_id: `ses_${id}`,
    executor_type: 'codex' as const,
    project_dir: '/relay/a',
    created_at: '2026-11-20T08:00:00Z',
    total_cost: { provenance: 'reported' as const, usd: 1 },
    total_usage: { input: 1000 },
    turns: 10,
    recording: false,
    executor_session_ids: [],
    ...change,
  };
  return { summary, turns, omitted };
}

describe('usage of other runs', () => {
  const today = '2026-11-21T08:00:00Z';
  const before = '2026-11-20T08:00:00Z';
  const subject: BudgetOwner = {
    sessionId: 'ses_b',
    parentId: 'ses_a',
    agent: 'codex',
    folder: '/relay',
    day: '2026-11-21',
  };
  const how = {
    dayOf: (at: string) => at.slice(0, 10),
    isInside: (dir: string, folder: string) => dir.startsWith(folder),
  };
  const sums = (sessions: readonly SessionRuns[], change: Partial<BudgetOwner> = {}) =>
    sharedSpending({ ...subject, ...change }, sessions, Date.parse(today), how);

  it('is counted by session, tree, day, agent and folder', () => {
    const found = sums([
      session('a', {}, [run('1', before, 0.25, 100), run('2', today, 0.5, 10)]),
      session('b', { parent_session_id: 'ses_a' }, [run('3', today, null, 1)]),
      session('c', { parent_session_id: 'ses_b', project_dir: '/other' }, [run('4', today, 1, 1000)]),
      session('d', { executor_type: 'gemini', project_dir: '/other' }, [run('5', today, 2, 10_000)]),
      session('e', { recording: true }, [run('6', today, 4, 100_000)]),
    ]);
    const tokens = Object.fromEntries(Object.entries(found).map(([scope, usage]) => [scope, usage.tokens]));
    assert.deepEqual(tokens, { session: 1, tree: 1111, day: 11_011, agent: 1011, workspace: 111 });
    assert.deepEqual([found.session.usd, found.tree.usd, found.day.usd], [null, 1.75, 3.5]);
    assert.deepEqual([found.session.turns, found.session.ms], [2, 1000]);
  });

  it("includes today's usage of other programs by day and agent, and counts Vitrine's own once", () => {
    const lastDay = {
      date: '2026-11-21',
      cost: { provenance: 'reported' as const, usd: 0.5 },
      usage: { input: 7, output: 3 },
    };
    const use = (nativeIds: string[], executor: string, change: Partial<typeof lastDay> = {}) => ({
      nativeIds,
      executor,
      lastDay: { ...lastDay, ...change },
    });
    const observed = [
      use(['n1'], 'codex'),
      use(['n2'], 'gemini'),
      use(['n3'], 'codex', { date: '2026-11-20' }),
      use(['own'], 'codex'),
      { nativeIds: ['n5'], executor: 'codex', lastDay: undefined },
    ];
    const own = [session('a', { executor_session_ids: ['own'] }, [run('1', today, 0.25, 100)])];
    const found = sharedSpending(subject, own, Date.parse(today), { ...how, observed });
    const parts = Object.fromEntries(Object.entries(found).map(([scope, { usd, tokens }]) => [scope, [usd, tokens]]));
    assert.deepEqual(parts, {
      session: [null, 0],
      tree: [0.25, 100],
      day: [1.25, 120],
      agent: [0.75, 110],
      workspace: [0.25, 100],
    });
  });

  it('excludes the run that is counted separately, and includes summaries without runs', () => {
    const found = sums([session('b', {}, [run('1', today, 0.25, 100)], 3)], { excludedRun: '1' });
    assert.equal(found.session.tokens, 900);
    assert.equal(found.session.usd, 0.75);
    assert.equal(found.session.turns, 8);
  });

  it('finds the root of a tree with a cycle', () => {
    const parents = new Map([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ]);
    assert.equal(
      rootOf('a', (id) => parents.get(id)),
      'c',
    );
    assert.equal(
      rootOf('x', (id) => parents.get(id)),
      'x',
    );
  });
});

describe('turns', () => {
  const entry = (index: number, type: NormalizedEntry['type']): { op: 'put'; entry: NormalizedEntry } => ({
    op: 'put',
    entry: { index, timestamp: '', type, content: '' },
  });
  const call = (index: number, callId: string, status: 'running' | 'success', parentCallId?: string) =>
    entry(index, {
      kind: 'tool_use',
      tool: {
        toolName: 'x',
        callId,
        action: { kind: 'tool', description: '' },
        status,
        ...(parentCallId !== undefined && { parentCallId }),
      },
    } as NormalizedEntry['type']);

  it('are responses: everything before a tool result belongs to one', () => {
    const turns = new TurnCount();
    turns.apply([
      entry(0, { kind: 'user_message' }),
      entry(1, { kind: 'thinking' }),
      entry(2, { kind: 'assistant_message' }),
      call(3, 'a', 'running'),
      call(4, 'b', 'running'),
      call(5, 'of a', 'running', 'a'),
    ]);
    assert.equal(turns.count({ messages: [] }), 1);
    turns.apply([call(3, 'a', 'success'), call(4, 'b', 'success'), entry(6, { kind: 'assistant_message' })]);
    assert.equal(turns.count({ messages: [] }), 2);
  });

  it('are the messages that the agent reports, if it does', () => {
    const message = (messageId: string, parentCallId: string | null) => ({
      messageId,
      parentCallId,
      model: null,
      usage: {},
      settled: true,
    });
    assert.equal(
      new TurnCount().count({ messages: [message('1', null), message('2', 'call'), message('3', null)] }),
      2,
    );
  });
});
