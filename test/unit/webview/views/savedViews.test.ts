import assert from 'node:assert/strict';
import { savedViews, viewsToSave } from '../../../../webview/views/savedViews.ts';

describe('saved filters and sorting of views', () => {
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

  it('are restored', () => {
    assert.deepEqual(savedViews(JSON.parse(JSON.stringify(viewsToSave(saved)))), saved);
    assert.deepEqual(savedViews(viewsToSave({})), {});
  });

  it('are restored as far as they are valid', () => {
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

  it('are limited', () => {
    const closed = Array.from({ length: 1000 }, (_, at) => `c${at}`);
    assert.equal(viewsToSave({ trajectory: { ...saved.trajectory, closed } }).trajectory?.closed.length, 100);
    assert.equal(savedViews({ files: { query: 'x'.repeat(5000), sort: 'name' } }).files?.query.length, 1000);
  });
});
