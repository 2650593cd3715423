import assert from 'node:assert/strict';
import { savedViews, viewsToSave } from '../../../../webview/views/savedViews.ts';

describe('how views were filtered and sorted', () => {
  const saved = {
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
    assert.deepEqual(savedViews(JSON.parse(JSON.stringify(viewsToSave(saved)))), saved);
    assert.deepEqual(savedViews(viewsToSave({})), {});
  });

  it('is taken only as far as it is understood', () => {
    for (const value of [undefined, null, 7, 'x', []]) assert.deepEqual(savedViews(value), {});
    assert.deepEqual(
      savedViews({
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
    assert.equal(viewsToSave({ trajectory: { ...saved.trajectory, closed } }).trajectory?.closed.length, 100);
    assert.equal(savedViews({ files: { query: 'x'.repeat(5000), sort: 'name' } }).files?.query.length, 1000);
  });
});
