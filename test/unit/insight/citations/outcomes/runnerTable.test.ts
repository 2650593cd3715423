import assert from 'node:assert/strict';
import { summaryLines } from '../../../../../src/insight/citations/outcomes/runnerTable.ts';

describe('the table of runners', function () {
  it('has unique group names in each row, as Node 22 requires', () => {
    for (const { runner, line } of Object.values(summaryLines).flat()) {
      const names = [...line.source.matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name);
      assert.equal(new Set(names).size, names.length, `${runner}: ${line.source}`);
    }
  });
});
