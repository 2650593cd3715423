import assert from 'node:assert/strict';
import { asShared } from '../../../../src/insight/session/asShared.ts';
import { sessionSummarySchema } from '../../../../src/model/session/summary.ts';

describe('the summary of another member’s session', () => {
  it('says whose it is, whatever its owner wrote, and offers nothing that only the owner’s machine can do', () => {
    const written = sessionSummarySchema.parse({
      session_id: 'ses_0123456789ab',
      status: 'running',
      created_at: '2026-11-27T10:00:00.000Z',
      updated_at: '2026-11-27T10:00:00.000Z',
      execution_mode: 'sync',
      agent_label: 'Claude Code',
      prompt: 'Look at the parser',
      runs: 1,
      entries: 3,
      cost: { provenance: 'unknown', reason: 'running' },
      total_cost: { provenance: 'unknown', reason: 'running' },
      hidden: true,
      needs_you: { count: 1, since: '2026-11-27T10:00:00.000Z', title: 'Run a command' },
      shared: { member: 'mallory', hostname: 'elsewhere', share: 'records' },
    });
    const shared = { member: 'bob', hostname: 'build-01', share: 'metadata' } as const;
    const marked = asShared(written, shared);
    assert.deepEqual(marked.shared, shared);
    assert.deepEqual([marked.hidden, marked.needs_you, marked.observed], [undefined, undefined, undefined]);
    const requested = asShared(written, { ...shared, requested: true });
    assert.equal(requested.needs_you?.title, 'Run a command', 'whoever asked for the run can answer');
    assert.equal(marked.prompt, 'Look at the parser');
    assert.equal(written.hidden, true, 'the original stays as it is');
  });
});
