import assert from 'node:assert/strict';
import { resumeCost } from '../../../../src/insight/away/resumeCost.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { interruptedRows } from '../../../../src/vscode/away/interrupted.ts';
import { aSummary } from '../../../support/sessions/records.ts';
import { at, now, row } from '../sessions/rows.ts';

const ids = (rows: readonly { session_id: string }[]): string[] => rows.map(({ session_id: id }) => id.slice(0, 5));

describe('sessions that are resumed together', () => {
  it('are those interrupted in the last week, newest first, without child sessions', () => {
    const cut = { outcome: 'interrupted' } as const;
    const rows = [
      row('a', { ...cut, updated_at: at(20, 12) }),
      row('b', { ...cut, updated_at: at(21, 12) }),
      row('c', { ...cut, updated_at: at(10, 12) }),
      row('d', { ...cut, parent_session_id: row('a').session_id }),
      row('e', { ...cut, parent_session_id: row('z').session_id }),
      row('f', { ...cut, status: 'running' }),
      row('g'),
    ];
    assert.deepEqual(ids(interruptedRows(rows, now)), ['ses_b', 'ses_a', 'ses_e']);
  });

  it('have no noteworthy cost if the conversation is short or still cached', async () => {
    const prices = await loadPrices(undefined);
    const long = { model: 'claude-sonnet-4-5-20250929', context_tokens: 150_000, updated_at: at(20, 12) };
    const cost = resumeCost([aSummary(long), aSummary({ ...long, context_tokens: 10 })], prices, now);
    assert.ok((cost?.usd ?? 0) > 0.3, JSON.stringify(cost));
    assert.equal(resumeCost([aSummary({ ...long, context_tokens: 10 })], prices, now), null);
    assert.equal(
      resumeCost([aSummary({ ...long, updated_at: new Date(now - 60_000).toISOString() })], prices, now),
      null,
    );
    assert.equal(resumeCost([], prices, now), null);
  });
});
