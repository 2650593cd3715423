import assert from 'node:assert/strict';
import { awaySummary, countUpdates } from '../../../../src/insight/away/awaySummary.ts';
import { ChangedFiles, firstIndexSince } from '../../../../src/insight/away/changedFiles.ts';
import { changesSince, parseVisits } from '../../../../src/insight/away/visits.ts';
import type { SessionSummary } from '../../../../src/model/session/summary.ts';
import type { Turn } from '../../../../src/model/session/turn.ts';
import { at, call } from '../../../support/sessions/madeEntries.ts';

type Row = Pick<SessionSummary, 'session_id' | 'status' | 'outcome' | 'updated_at' | 'needs_you' | 'observed'>;

const row = (id: string, second: number, overrides: Partial<Row> = {}): Row => ({
  session_id: id,
  status: 'finished',
  outcome: 'completed',
  updated_at: at(second),
  ...overrides,
});
const ids = (rows: readonly Row[]): string[] => rows.map(({ session_id: id }) => id);
const asks = (second: number): Partial<Row> => ({
  status: 'running',
  outcome: 'none',
  needs_you: { count: 1, since: at(second), title: 'Run git push' },
});

describe('what happened while you were away', () => {
  it('lists the outcome of each session, newest first', () => {
    const visit = { at: at(100), running: new Set<string>() };
    const rows = [
      row('old', 50),
      row('done', 110),
      row('later', 120),
      row('broken', 110, { outcome: 'failed' }),
      row('ended', 110, { status: 'stopped', outcome: 'stopped' }),
      row('cut', 110, { outcome: 'interrupted' }),
      row('asks', 110, asks(105)),
      row('works', 90, { status: 'running', outcome: 'none' }),
    ];
    const summary = awaySummary(rows, visit);
    assert.deepEqual(ids(summary.finished), ['later', 'done']);
    assert.deepEqual(ids(summary.failed), ['broken']);
    assert.deepEqual(ids(summary.stopped), ['ended']);
    assert.deepEqual(ids(summary.interrupted), ['cut']);
    assert.deepEqual(ids(summary.needsYou), ['asks']);
    assert.deepEqual(ids(summary.running), ['works']);
    assert.equal(countUpdates(summary, visit), 6);
  });

  it('counts a session in a terminal as finished if its agent answered and waits for a prompt', () => {
    const live = { state: 'idle', since: at(110), source: 'process' } as const;
    const state = { agent: 'claude-code', path: '/store/a.jsonl', live, entry_point: 'terminal' } as const;
    const observed = { ...state, branch: null, tool_calls: 0, usage_reason: null, problem: null };
    const visit = { at: at(100), running: new Set<string>() };
    const rows = [
      row('answered', 110, { outcome: 'none', observed }),
      row('before', 90, { outcome: 'none', observed }),
    ];
    assert.deepEqual(ids(awaySummary(rows, visit).finished), ['answered']);
  });

  it('excludes a request that the user had seen', () => {
    const visit = { at: at(100), running: new Set(['asks']) };
    const summary = awaySummary([row('asks', 110, asks(95))], visit);
    assert.deepEqual([ids(summary.needsYou), countUpdates(summary, visit)], [['asks'], 0]);
  });

  it('includes sessions that ended while away, even if their record has an earlier time', () => {
    const cut = row('cut', 99, { outcome: 'interrupted' });
    assert.deepEqual(ids(awaySummary([cut], { at: at(100), running: new Set(['cut']) }).interrupted), ['cut']);
    assert.deepEqual(ids(awaySummary([cut], { at: at(100), running: new Set() }).interrupted), []);
  });
});

describe('visits of a folder', () => {
  it('keep unread news over a reload, and no longer', () => {
    const visits = { lastOpen: at(100), unseenSince: at(0) };
    assert.equal(changesSince(visits, Date.parse(at(130))), at(0));
    assert.equal(changesSince(visits, Date.parse(at(100 + 3600))), at(100));
    assert.equal(changesSince({ lastOpen: at(100) }, Date.parse(at(130))), at(100));
  });

  it('are read as far as possible', () => {
    assert.deepEqual(parseVisits({ lastOpen: at(1), unseenSince: at(0), more: 1 }), {
      lastOpen: at(1),
      unseenSince: at(0),
    });
    assert.deepEqual(parseVisits({ lastOpen: at(1), unseenSince: at(2) }), { lastOpen: at(1) });
    for (const saved of [undefined, null, 'x', {}, { lastOpen: 'yesterday' }, { lastOpen: 5 }])
      assert.equal(parseVisits(saved), undefined);
  });
});

describe('files that changed since a time', () => {
  const turn = (firstIndex: number, second: number): Turn => ({
    runId: `run_${firstIndex}`,
    firstIndex,
    status: 'completed',
    startedAt: at(second),
    durationMs: 1000,
    steps: 1,
    usd: null,
    costProvenance: 'unknown',
  });

  it('are searched from the run that was the newest then, which may have ended later', () => {
    assert.equal(firstIndexSince([turn(0, 0), turn(5, 20), turn(9, 130)], at(50)), 5);
    assert.equal(firstIndexSince([turn(0, 0)], at(50)), 0);
    assert.equal(firstIndexSince([turn(3, 60), turn(9, 130)], at(50)), 3);
    assert.equal(firstIndexSince([], at(50)), null);
  });

  it('are those that calls changed later, with their lines', () => {
    const files = new ChangedFiles('/work', at(10));
    files.add(call(5, { kind: 'file_write', path: '/work/early.ts', content: 'a\n' }));
    files.add(call(11, { kind: 'file_read', path: '/work/read.ts' }));
    files.add(
      call(12, {
        kind: 'file_edit',
        changes: [{ path: '/work/src/a.ts', kind: 'update', oldText: 'a\nb\n', newText: 'a\nc\nd\n' }],
      }),
    );
    files.add(call(13, { kind: 'file_edit', changes: [{ path: '/work/gone.ts', kind: 'delete', oldText: 'x\n' }] }));
    assert.deepEqual(
      files.all().map(({ path, change, added, removed }) => [path, change, added, removed]),
      [
        ['src/a.ts', 'changed', 2, 1],
        ['gone.ts', 'deleted', 0, 1],
      ],
    );
  });
});
