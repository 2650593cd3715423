import assert from 'node:assert/strict';
import type { Turn } from '../../../../src/model/session/turn.ts';
import { replayedAt } from '../../../../webview/text/replay.ts';

describe('the time of a replay', () => {
  const turn: Turn = {
    runId: 'run_0',
    firstIndex: 0,
    status: 'completed',
    startedAt: '2026-11-25T10:00:00.000Z',
    durationMs: null,
    steps: 0,
    usd: null,
    costProvenance: 'unknown',
  };
  const times = ['2026-11-25T10:00:00.000Z', '2026-11-22T08:00:00.000Z', '2026-11-22T08:00:12.000Z'];
  const entries = times.map((timestamp, index) => ({ index, timestamp }));
  const played = (index: number) => {
    const entry = entries[index];
    assert.ok(entry !== undefined);
    return replayedAt(entry, [turn], (at) => entries[at]);
  };

  it('is that of the prompt, and continues as the recording did', () => {
    assert.equal(played(0), undefined);
    assert.equal(played(1), '2026-11-25T10:00:00.000Z');
    assert.equal(played(2), '2026-11-25T10:00:12.000Z');
  });
});
