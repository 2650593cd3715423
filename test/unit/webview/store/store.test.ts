import assert from 'node:assert/strict';
import type { PageEntry } from '../../../../src/protocol/panel/messages.ts';
import { Store } from '../../../../webview/store/store.ts';

describe('the entries of a page', () => {
  const reply = (index: number, content: string): PageEntry => ({
    index,
    timestamp: '2026-01-01T00:00:00Z',
    type: { kind: 'assistant_message' },
    content,
  });

  it('are not overwritten or duplicated by a late answer', () => {
    const store = new Store();
    store.addPage([reply(1, 'The quick ')]);
    store.apply([{ op: 'append', index: 1, text: 'brown ' }], 2);
    // Read by the host when it knew more already than had been sent.
    store.addPage([reply(0, 'Go.'), { ...reply(1, 'The quick brown fox '), step: '1', links: [] }]);
    store.apply([{ op: 'append', index: 1, text: 'fox ' }], 2);
    assert.equal(store.entry(0)?.content, 'Go.');
    assert.deepEqual(store.entry(1), { ...reply(1, 'The quick brown fox '), step: '1', links: [] });
  });
});
