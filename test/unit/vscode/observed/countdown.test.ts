import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanupDays } from '../../../../src/engine/sources/cleanup/cleanupDays.ts';
import type { ObservedState } from '../../../../src/model/observedState.ts';
import { daysToDeletion } from '../../../../src/vscode/observed/countdown.ts';

const at = (day: string): number => Date.parse(`${day}T12:00:00Z`);

describe('the countdown to the deletion of a transcript', () => {
  const ended = (change: Partial<ObservedState> = {}) => ({
    updated_at: '2026-11-01T12:00:00Z',
    observed: {
      agent: 'claude-code' as const,
      path: '/home/dev/.claude/projects/a/b.jsonl',
      live: { state: 'ended' as const, since: null, source: 'record' as const },
      entry_point: null,
      branch: null,
      tool_calls: 0,
      usage_reason: null,
      problem: null,
      ...change,
    },
  });

  it('starts a week before', () => {
    assert.equal(daysToDeletion(ended(), 30, at('2026-11-23')), undefined);
    assert.equal(daysToDeletion(ended(), 30, at('2026-11-24')), 7);
    assert.equal(daysToDeletion(ended(), 30, at('2026-11-28')), 3);
    assert.equal(daysToDeletion(ended(), 30, at('2026-12-09')), 0);
  });

  it('is hidden for running, damaged or kept sessions, and if nothing is known', () => {
    const now = at('2026-11-28');
    assert.equal(daysToDeletion(ended(), undefined, now), undefined);
    assert.equal(daysToDeletion({ updated_at: ended().updated_at }, 30, now), undefined);
    const live = { state: 'idle', since: null, source: 'process' } as const;
    assert.equal(daysToDeletion(ended({ live }), 30, now), undefined);
    assert.equal(daysToDeletion(ended({ problem: 'damaged' }), 30, now), undefined);
  });

  it('follows the settings of Claude Code', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'vitrine-home-'));
    const place = { env: {}, home, platform: process.platform };
    const days = async (settings: string): Promise<number | undefined> => {
      mkdirSync(path.join(home, '.claude'), { recursive: true });
      writeFileSync(path.join(home, '.claude', 'settings.json'), settings);
      return (await cleanupDays(place))['claude-code'];
    };
    try {
      assert.deepEqual(await cleanupDays(place), { 'claude-code': 30 });
      assert.equal(await days('{"cleanupPeriodDays": 99}'), 99);
      assert.equal(await days('{"model": "opus"}'), 30);
      assert.equal(await days('{"cleanupPeriodDays": 0}'), undefined);
      assert.equal(await days('{"cleanupPeriodDays": "soon"}'), undefined);
      assert.equal(await days('{ torn'), undefined);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
