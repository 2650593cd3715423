import assert from 'node:assert/strict';
import { NewsFeed } from '../../../../src/daemon/clients/news.ts';
import type { News } from '../../../../src/protocol/daemon/calls.ts';
import { summary } from '../../../support/page/madeUp.ts';

const sessions = 1000;

function idOf(n: number): string {
  return `ses_${String(n).padStart(12, '0')}`;
}

describe('news for a client', () => {
  it('of many sessions are sent in batches, each with the newest state', async () => {
    const batches: News[] = [];
    let take = (): void => undefined;
    const feed = new NewsFeed((news) => {
      batches.push(news);
      return new Promise((resolve) => (take = resolve));
    });
    feed.summary(summary({ session_id: 'ses_first' }));
    for (let n = 0; n < sessions; n += 1) feed.summary(summary({ session_id: idOf(n), title: 'before' }));
    for (let n = 0; n < sessions; n += 1) feed.summary(summary({ session_id: idOf(n), title: 'now' }));
    feed.removed(idOf(7));
    for (let count = 0; count < batches.length;) {
      count = batches.length;
      take();
      await new Promise(setImmediate);
    }
    const [first, ...others] = batches;
    assert.deepEqual(
      first?.summaries.map(({ session_id: id }) => id),
      ['ses_first'],
    );
    assert.ok(others.length > 1 && others.every(({ summaries }) => summaries.length <= 250));
    const sent = others.flatMap(({ summaries }) => summaries);
    const expected = Array.from({ length: sessions }, (_, n) => idOf(n)).filter((id) => id !== idOf(7));
    assert.deepEqual(
      sent.map(({ session_id: id }) => id),
      expected,
    );
    assert.ok(sent.every(({ title }) => title === 'now'));
    assert.deepEqual(
      others.flatMap(({ removed }) => removed),
      [idOf(7)],
    );
  });
});
