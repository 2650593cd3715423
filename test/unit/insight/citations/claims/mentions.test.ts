import assert from 'node:assert/strict';
import fc from 'fast-check';
import { namedPath } from '../../../../../src/insight/citations/sources/pathNames.ts';
import { mentionsIn } from '../../../../../src/insight/citations/claims/scan.ts';
import { normalUrl } from '../../../../../src/insight/citations/sources/urls.ts';
import { mentionPieces, repeatTo } from '../../../../support/hostile/growing.ts';

describe('mentions', () => {
  const found = (text: string) =>
    mentionsIn(text).map(({ kind, claim, path, lines, url }) => [kind, claim, path ?? url, lines]);

  it('have exact ranges, whatever surrounds them', () => {
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

  it('include all notations for lines', () => {
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

  it('end where an address ends', () => {
    const rust = 'https://en.wikipedia.org/wiki/Rust_(programming_language)';
    for (const text of [
      rust,
      `(${rust})`,
      `See ${rust}.`,
      `[Rust](${rust})`,
      `<${rust}>`,
      `\`${rust}\``,
      `([x](${rust}))`,
    ])
      assert.deepEqual(
        mentionsIn(text).map(({ url }) => url),
        [rust],
        text,
      );
    assert.equal(mentionsIn('(https://a.example/x),(b)')[0]?.url, 'https://a.example/x');
    for (const [a, b] of [
      ['HTTP://Www.A.example:80/x/', 'https://a.example/x'],
      ['https://a.example:443', 'https://a.example/'],
      ['https://a.example/%C3%A9%20b', 'https://a.example/é b'],
      ['https://a.example/100%', 'http://a.example/100%#top'],
    ])
      assert.equal(normalUrl(a ?? ''), normalUrl(b ?? ''), a);
    assert.notEqual(normalUrl('https://a.example/%2F'), normalUrl('https://a.example/x'));
  });

  it('exclude code blocks', () => {
    assert.deepEqual(found('```ts\nnpm test # src/a.ts:1\n```\n~~~json\nhttps://x.example\n~~~'), []);
    assert.deepEqual(found('before a.ts\n```\nb.ts'), [['file', 'a.ts', 'a.ts', undefined]]);
  });

  it('include commands in a shell block, unless the block only suggests them', () => {
    const commands = (text: string) => mentionsIn(text).map(({ kind, claim, hedged }) => [kind, claim, hedged]);
    assert.deepEqual(commands('Commands run:\n```bash\n$ npm test # all\n12 passed in a.ts:3\n$ npm run lint\n```'), [
      ['command', 'npm test', true],
      ['command', 'npm run lint', true],
    ]);
    assert.deepEqual(commands('Verified with:\n```\n# both\n  cargo test\n```'), [['command', 'cargo test', true]]);
    for (const lead of ['Run:', 'You can start it:', 'To try it:', 'Start it with:', '## Usage', 'How to test'])
      assert.deepEqual(commands(`${lead}\n\`\`\`sh\nnpm test\n\`\`\``), [], lead);
  });

  it('exclude what only looks like one', () => {
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

  it('are ordered, within the text and without overlaps, for any text', () => {
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

  it('are found up to the end of texts designed to be slow to parse', () => {
    for (const piece of mentionPieces) {
      const text = repeatTo(piece, 1_000_000);
      for (const { range, claim } of mentionsIn(text)) assert.equal(text.slice(...range), claim);
    }
  });
});
