import assert from 'node:assert/strict';
import { PendingUpdates } from '../../../../src/daemon/clients/pendingUpdates.ts';
import type { EntryUpdate } from '../../../../src/model/transcript/entry.ts';

function put(index: number, content: string): EntryUpdate {
  const entry = { index, timestamp: '2026-11-24T00:00:00.000Z', type: { kind: 'assistant_message' }, content } as const;
  return { op: 'put', entry };
}

describe('pending updates of a client', function () {
  it('hold the newest state of each entry', () => {
    const pending = new PendingUpdates();
    pending.add([put(1, 'a'), put(2, 'b'), put(1, 'c')]);
    assert.deepEqual(pending.takeBatch(), { updates: [put(1, 'c'), put(2, 'b')], hasGap: false });
    assert.equal(pending.isEmpty, true);
  });

  it('join appended text', () => {
    const pending = new PendingUpdates();
    pending.add([put(1, 'a'), { op: 'append', index: 1, text: 'b' }]);
    pending.add([{ op: 'append', index: 1, text: 'c' }]);
    assert.deepEqual(pending.takeBatch().updates, [put(1, 'a'), { op: 'append', index: 1, text: 'bc' }]);
  });

  it('become a gap above a limit, and start again after it', () => {
    for (const updates of [
      Array.from({ length: 10_000 }, (_, index) => put(index, '')),
      Array.from({ length: 100 }, (): EntryUpdate => ({ op: 'append', index: 0, text: 'x'.repeat(100_000) })),
    ]) {
      const pending = new PendingUpdates();
      pending.add(updates);
      assert.deepEqual(pending.takeBatch(), { updates: [], hasGap: true });
      pending.add([put(0, 'again')]);
      assert.deepEqual(pending.takeBatch(), { updates: [put(0, 'again')], hasGap: false });
    }
  });

  it('count a repeatedly replaced entry once', () => {
    const pending = new PendingUpdates();
    for (let round = 0; round < 10_000; round += 1) pending.add([put(7, 'x'.repeat(1000))]);
    assert.equal(pending.takeBatch().hasGap, false);
  });
});
