import assert from 'node:assert/strict';
import { nextSort, sortedRows, type Sort } from '../../../../webview/report/sorting.ts';

const rows = [
  [{ text: 'run 10' }, { text: '$0.50', sort: 0.5 }],
  [{ text: 'run 9' }, { text: 'unknown', sort: null }],
  [{ text: 'Run 100' }, { text: '$12.00', sort: 12 }],
  [{ text: '' }, { text: '$2.00', sort: 2 }],
];
const order = (sort: Sort): string[] => sortedRows(rows, sort, 'en').map(([cell]) => cell!.text);

describe('a sorted table', () => {
  it('sorts text with natural numbers, ignoring case', () => {
    assert.deepEqual(order({ column: 0, descending: false }), ['run 9', 'run 10', 'Run 100', '']);
    assert.deepEqual(order({ column: 0, descending: true }), ['Run 100', 'run 10', 'run 9', '']);
  });

  it('sorts amounts by value, with unknown ones last in both directions', () => {
    assert.deepEqual(order({ column: 1, descending: true }), ['Run 100', '', 'run 10', 'run 9']);
    assert.deepEqual(order({ column: 1, descending: false }), ['run 10', '', 'Run 100', 'run 9']);
  });

  it("cycles through both directions and the report's order", () => {
    const first = nextSort(undefined, 1, true);
    assert.deepEqual(first, { column: 1, descending: true });
    const second = nextSort(first, 1, true);
    assert.deepEqual(second, { column: 1, descending: false });
    assert.equal(nextSort(second, 1, true), undefined);
    assert.deepEqual(nextSort(second, 0, false), { column: 0, descending: false });
  });
});
