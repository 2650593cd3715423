import assert from 'node:assert/strict';
import { parseFromReportPage, savedReportKey } from '../../../../src/protocol/pages/reportMessages.ts';

const sent = (message: unknown): unknown => parseFromReportPage({ generation: 1, seq: 0, message })?.message;

describe('messages of a report page', () => {
  it('are validated', () => {
    for (const message of [{ type: 'ready' }, { type: 'act', id: '3.1' }, { type: 'cancel' }, { type: 'copyMarkdown' }])
      assert.deepEqual(sent(message), message);
    for (const message of [
      { type: 'command', id: 'x' },
      { type: 'act' },
      { type: 'act', id: 'x'.repeat(41) },
      null,
      'ready',
    ])
      assert.equal(sent(message), undefined);
    assert.equal(parseFromReportPage({ message: { type: 'ready' } }), undefined);
  });

  it('restore a report only from valid page state', () => {
    const key = { kind: 'cost', argument: 'ses_000000000001' };
    assert.deepEqual(savedReportKey({ key, sorts: [] }), key);
    for (const state of [
      undefined,
      {},
      { key: 'cost' },
      { key: { kind: 'cost' } },
      { key: { ...key, argument: 'x'.repeat(401) } },
    ])
      assert.equal(savedReportKey(state), undefined);
  });
});
