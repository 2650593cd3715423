import assert from 'node:assert/strict';
import fc from 'fast-check';
import { namedPath } from '../../../src/insight/citations/pathNames.ts';
import { mentionsIn } from '../../../src/insight/citations/scan.ts';
import { mentionPieces, repeated } from '../../support/hostile/growing.ts';

describe('mentions', () => {
  const found = (text: string) =>
    mentionsIn(text).map(({ kind, claim, path, lines, url }) => [kind, claim, path ?? url, lines]);

  it('are at their exact range, whatever stands around them', () => {
    for (const [before, after] of [
      ['', ''],
      ['(', ')'],
      ['**', '**'],
      ['🚀 “', '”'],
      ['（', '）。'],
      ['- ', ', '],
    ]) {
      const [mention] = mentionsIn(`${before}src/a.ts:12-20${after}`);
      assert.deepEqual(
        [mention?.path, mention?.lines, mention?.claim],
        ['src/a.ts', [12, 20], 'src/a.ts:12-20'],
        before,
      );
    }
  });

  it('reads all ways to name lines', () => {
    const ways = [
      'a.ts:3-5',
      'a.ts#L3-L5',
      'a.ts (lines 3-5)',
      '`a.ts`, lines 3–5',
      'lines 3-5 of `a.ts`',
      '`a.ts` Zeilen 3 bis 5',
      'a.ts 第 3-5 行',
      '[x](a.ts#L3-L5)',
    ];
    for (const way of ways)
      assert.deepEqual(
        mentionsIn(way).map(({ lines }) => lines),
        [[3, 5]],
        way,
      );
    assert.deepEqual(
      mentionsIn('C:\\x\\a.ts:3:7').map(({ path, lines }) => [path, lines]),
      [['C:\\x\\a.ts', [3, 3]]],
    );
  });

  it('are not in code blocks', () => {
    assert.deepEqual(found('```sh\nnpm test # src/a.ts:1\n```\n~~~\nhttps://x.example\n~~~'), []);
    assert.deepEqual(found('before a.ts\n```\nb.ts'), [['file', 'a.ts', 'a.ts', undefined]]);
  });

  it('are not what only looks like one', () => {
    for (const text of [
      'e.g. v1.2.3',
      'obj.method()',
      'std::mem::take',
      'and/or',
      '12/24',
      '...',
      'foo..bar',
      '::1',
      'a: b',
      '`this.state`',
    ]) {
      assert.deepEqual(
        mentionsIn(text).filter(({ hedged }) => !hedged),
        [],
        text,
      );
    }
    assert.equal(namedPath('Node.js'), undefined);
  });

  it('do not overlap, lie in the text and come in order, for any text', () => {
    const piece = fc.constantFrom(
      '`',
      '``',
      '[',
      '](',
      ')',
      'a.ts:3',
      'src/é.py',
      ' ',
      '\n',
      '```',
      'all tests pass',
      'https://x.example/a',
      '😀',
      '测试通过',
      '.',
      ':12-3',
      '#L4',
      'npm test',
      '**',
      'lines 3-5 of ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let end = 0;
        for (const { range, claim } of mentionsIn(text)) {
          assert.ok(range[0] >= end && range[1] > range[0] && range[1] <= text.length, text);
          assert.equal(text.slice(...range), claim);
          end = range[1];
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are looked for to the end of texts that are made to take long', () => {
    for (const piece of mentionPieces) {
      const text = repeated(piece, 1_000_000);
      for (const { range, claim } of mentionsIn(text)) assert.equal(text.slice(...range), claim);
    }
  });
});
