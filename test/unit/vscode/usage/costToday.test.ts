import assert from 'node:assert/strict';
import { costToday, dayStart } from '../../../../src/vscode/usage/costToday.ts';
import type { Cost } from '../../../../src/model/usage/usage.ts';
import { at, now, row } from '../sessions/rows.ts';

const usd = (amount: number): Cost => ({ provenance: 'reported', usd: amount });
const estimated: Cost = { provenance: 'estimated', usd: 0.25, priceTable: { name: 'list', date: '2026-11-01' } };
const unknown: Cost = { provenance: 'unknown', reason: 'not priced' };
const day = { date: '2026-11-21', usd: 0 };

const summary = (created: string, updated: string, cost: number, total: number) => ({
  created_at: created,
  updated_at: updated,
  cost: usd(cost),
  total_cost: usd(total),
});

describe('the cost of today', () => {
  it('is all of a session that started today', () => {
    assert.deepEqual(dayStart(summary(at(21, 9), at(21, 10), 1, 3), undefined, now), day);
  });

  it('excludes the cost of a session before today', () => {
    const before = row('a', { total_cost: usd(2) });
    assert.deepEqual(dayStart(summary(at(20, 9), at(21, 10), 1, 3), before, now), { ...day, usd: 2 });
  });

  it('keeps that over further runs', () => {
    const before = row('a', { updated_at: at(21, 9), total_cost: usd(3), day: { ...day, usd: 2 } });
    assert.deepEqual(dayStart(summary(at(20, 9), at(21, 10), 1, 4), before, now), { ...day, usd: 2 });
  });

  it("is at least the last run if yesterday's cost is unknown", () => {
    assert.deepEqual(dayStart(summary(at(20, 9), at(21, 10), 1, 4), undefined, now), { ...day, usd: 3 });
  });

  it('excludes sessions of other days', () => {
    assert.equal(dayStart(summary(at(20, 9), at(20, 10), 1, 4), undefined, now), undefined);
    assert.deepEqual(costToday([row('a', { day: { date: '2026-11-20', usd: 0 } })], now), {
      usd: 0,
      isEstimated: false,
      hasUnknownCosts: false,
      isLowerBound: false,
      hasSessions: false,
    });
  });

  it('adds up, with estimated and missing parts', () => {
    const rows = [
      row('a', { day, total_cost: usd(1) }),
      row('b', { day: { ...day, usd: 2 }, total_cost: usd(2.5) }),
      row('c', { day, total_cost: estimated }),
      row('d', { day, total_cost: unknown }),
    ];
    assert.deepEqual(costToday(rows, now), {
      usd: 1.75,
      isEstimated: true,
      hasUnknownCosts: true,
      isLowerBound: false,
      hasSessions: true,
    });
  });

  it('counts child sessions separately: no session includes the cost of another', () => {
    const rows = [
      row('a', { day, total_cost: usd(1) }),
      row('b', { day, total_cost: usd(0.5), parent_session_id: row('a').session_id }),
    ];
    assert.equal(costToday(rows, now).usd, 1.5);
  });

  it("includes today's usage of other programs' sessions", () => {
    const observed = (date: string, reason: string | null) => ({
      agent: 'codex' as const,
      path: '/x',
      live: { state: 'ended' as const, since: null, source: 'record' as const },
      entry_point: null,
      branch: null,
      tool_calls: 0,
      usage_reason: reason,
      problem: null,
      last_day: { date, cost: estimated, usage: { input: 1 } },
    });
    const rows = [
      row('a', { total_cost: usd(9), observed: observed('2026-11-21', 'At least this much.') }),
      row('b', { total_cost: usd(9), day, observed: observed('2026-11-20', null) }),
    ];
    assert.deepEqual(costToday(rows, now), {
      usd: 0.25,
      isEstimated: true,
      hasUnknownCosts: false,
      isLowerBound: true,
      hasSessions: true,
    });
  });

  it('counts no recording', () => {
    assert.equal(costToday([row('a', { day, recording: true })], now).hasSessions, false);
  });
});
