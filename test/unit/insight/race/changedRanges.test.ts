import assert from 'node:assert/strict';
import { type BaseRange, changedRanges, commonLines } from '../../../../src/insight/race/changedRanges.ts';

const diff = `diff --git a/a.txt b/a.txt
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
--- a/a.txt
+++ b/a.txt
@@ -2 +2 @@ one
-two
+diff --git a/x b/x
@@ -4,0 +5,2 @@ three
+five
+six
diff --git a/b.bin b/b.bin
index 3333333333333333333333333333333333333333..4444444444444444444444444444444444444444 100644
Binary files a/b.bin and b/b.bin differ
`;

describe('changed ranges', () => {
  it('are read from a diff, file by file', () => {
    assert.deepEqual(changedRanges(diff, ['a.txt', 'b.bin']), [
      {
        path: 'a.txt',
        next: '2'.repeat(40),
        ranges: [
          [2, 1],
          [4, 0],
        ],
      },
      { path: 'b.bin', next: '4'.repeat(40), ranges: [] },
    ]);
    assert.deepEqual(changedRanges('', []), []);
  });

  const cases: [string, BaseRange[], BaseRange[], number][] = [
    ['the same lines', [[2, 3]], [[2, 3]], 3],
    ['some of the same lines', [[2, 3]], [[4, 5]], 1],
    ['neighbours', [[2, 3]], [[5, 2]], 0],
    ['insertions at the same place', [[7, 0]], [[7, 0]], 1],
    ['insertions at different places', [[7, 0]], [[8, 0]], 0],
    ['an insertion into changed lines', [[2, 4]], [[3, 0]], 1],
    ['an insertion after changed lines', [[2, 4]], [[5, 0]], 0],
    [
      'several',
      [
        [1, 2],
        [10, 10],
      ],
      [
        [2, 1],
        [9, 3],
        [15, 1],
        [30, 2],
      ],
      4,
    ],
    ['nothing', [], [[1, 1]], 0],
  ];
  for (const [name, a, b, expected] of cases)
    it(`have in common: ${name}`, () => {
      assert.equal(commonLines(a, b), expected);
      assert.equal(commonLines(b, a), expected, 'in either order');
    });
});
