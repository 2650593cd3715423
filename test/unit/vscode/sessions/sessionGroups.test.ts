import assert from 'node:assert/strict';
import { createFamilyFinder } from '../../../../src/vscode/sessions/familyCost.ts';
import { groupSessions, type SessionNode } from '../../../../src/vscode/sessions/sessionGroups.ts';
import type { SessionRow } from '../../../../src/vscode/sessions/sessionRow.ts';
import { at, now, row } from './rows.ts';

/** `today: a(b c) d`, one line per group. */
function drawn(rows: readonly SessionRow[]): string[] {
  const name = (node: SessionNode): string => {
    const inner = node.children.map(name).join(' ');
    return node.row.session_id.slice(4, 5) + (inner === '' ? '' : `(${inner})`);
  };
  return groupSessions(rows, now).map((group) => `${group.name}: ${group.nodes.map(name).join(' ')}`);
}

describe('groups of sessions', () => {
  it('are sorted by urgency, then by day, newest first', () => {
    const rows = [
      row('a', { updated_at: at(21, 9) }),
      row('b', { updated_at: at(21, 11) }),
      row('c', { status: 'running', updated_at: at(21, 8) }),
      row('d'),
      row('e', { updated_at: at(19, 12) }),
    ];
    assert.deepEqual(drawn(rows), ['running: c', 'today: b a', 'yesterday: d', 'earlier: e']);
  });

  it('start with pending requests, even of a child, while its run continues', () => {
    const needs_you = { count: 1, since: at(21, 9), title: 'Run git push' };
    const rows = [
      row('a', { status: 'running', updated_at: at(21, 8) }),
      row('b', { status: 'running', needs_you }),
      row('c', { status: 'running', updated_at: at(21, 7) }),
      row('d', { status: 'running', parent_session_id: row('c').session_id, needs_you }),
      row('e', { needs_you }),
    ];
    assert.deepEqual(drawn(rows), ['needsYou: c(d) b', 'running: a', 'yesterday: e']);
  });

  it('are omitted if empty', () => {
    assert.deepEqual(drawn([]), []);
    assert.deepEqual(drawn([row('d')]), ['yesterday: d']);
  });

  it('nest children at any depth, and lift a parent with a running child', () => {
    const rows = [
      row('a'),
      row('b', { parent_session_id: row('a').session_id, updated_at: at(21, 1) }),
      row('c', { parent_session_id: row('b').session_id, status: 'pending' }),
    ];
    assert.deepEqual(drawn(rows), ['running: a(b(c))']);
  });

  it('nest forks below their origin', () => {
    const forked_from = { session_id: row('a').session_id };
    assert.deepEqual(drawn([row('a'), row('b', { forked_from, updated_at: at(21, 1) })]), ['yesterday: a(b)']);
    assert.deepEqual(drawn([row('b', { forked_from })]), ['yesterday: b']);
  });

  it('keep a child whose parent is hidden', () => {
    assert.deepEqual(drawn([row('b', { parent_session_id: row('z').session_id })]), ['yesterday: b']);
  });

  it('lose no session if parents form a cycle', () => {
    const rows = [
      row('a', { parent_session_id: row('b').session_id }),
      row('b', { parent_session_id: row('a').session_id }),
      row('c', { parent_session_id: row('c').session_id }),
    ];
    assert.deepEqual(drawn(rows), ['yesterday: a b c']);
  });

  it('count a session with a clock ahead of ours as today', () => {
    assert.deepEqual(drawn([row('a', { updated_at: at(25, 1) })]), ['today: a']);
  });
});

describe('the cost of a session with its child sessions', () => {
  const unknown = { provenance: 'unknown', reason: 'It was stopped.' } as const;
  const child = (id: string, parent: string, overrides: Partial<SessionRow> = {}): SessionRow =>
    row(id, { parent_session_id: row(parent).session_id, ...overrides });

  it('is one sum at any depth, with its unknown parts', () => {
    const rows = [row('a'), child('b', 'a'), child('c', 'b', { total_cost: unknown }), row('d')];
    const of = createFamilyFinder(rows);
    assert.deepEqual(of(rows[0]!), { count: 2, cost: { usd: 1, estimatedUsd: 0, unknown: 1 } });
    assert.deepEqual(of(rows[1]!), { count: 1, cost: { usd: 0.5, estimatedUsd: 0, unknown: 1 } });
    assert.equal(of(rows[2]!), undefined);
    assert.equal(of(rows[3]!), undefined);
  });

  it('excludes recordings, and ends at cycles', () => {
    const rows = [child('a', 'b'), child('b', 'a'), child('c', 'a', { recording: true })];
    assert.equal(createFamilyFinder(rows)(rows[0]!)?.count, 1);
  });
});
