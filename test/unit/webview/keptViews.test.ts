import assert from 'node:assert/strict';
import { keptViews, toKeep } from '../../../webview/views/kept.ts';

describe('how views were filtered and sorted', () => {
  const kept = {
    trajectory: {
      query: 'kind:edit',
      kinds: ['edit' as const],
      repeats: true,
      sort: 'longest' as const,
      closed: ['c1'],
    },
    files: { query: 'src', sort: 'lines' as const },
  };

  it('comes back as it was', () => {
    assert.deepEqual(keptViews(JSON.parse(JSON.stringify(toKeep(kept)))), kept);
    assert.deepEqual(keptViews(toKeep({})), {});
  });

  it('is taken only as far as it is understood', () => {
    for (const value of [undefined, null, 7, 'x', []]) assert.deepEqual(keptViews(value), {});
    assert.deepEqual(
      keptViews({
        trajectory: { query: 7, kinds: ['edit', 'x', 3], sort: 'x', closed: [1, 'c'] },
        files: { sort: 'x' },
      }),
      {
        trajectory: { query: '', kinds: ['edit'], repeats: false, sort: 'time', closed: ['c'] },
        files: { query: '', sort: 'first' },
      },
    );
  });

  it('is bounded', () => {
    const closed = Array.from({ length: 1000 }, (_, at) => `c${at}`);
    assert.equal(toKeep({ trajectory: { ...kept.trajectory, closed } }).trajectory?.closed.length, 100);
    assert.equal(keptViews({ files: { query: 'x'.repeat(5000), sort: 'name' } }).files?.query.length, 1000);
  });
});
