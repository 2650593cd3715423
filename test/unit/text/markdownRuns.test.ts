import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markdownRuns } from '../../../src/text/markdownRuns.ts';
import { markdownParts } from '../../../webview/markdown/blocks.ts';

const table = (columns: number, rows: number): string =>
  `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;

/** Tokens of all kinds that the page would draw. */
function tokensOf(text: string): number {
  let count = 0;
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value || 'tokens' in value) count += 1;
      for (const [key, member] of Object.entries(value)) if (key !== 'raw') walk(member);
    }
  };
  for (const { blocks } of markdownParts(text)) for (const { token } of blocks) walk(token);
  return count;
}

const shownText = (text: string): string =>
  markdownParts(text)
    .flatMap(({ blocks }) => blocks.map(({ token }) => token.raw))
    .join('');

describe('Markdown of an agent', function () {
  it('is one run if it is ordinary', () => {
    const text =
      '# Title\n\nSome *words*.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```\n\n- a\n  - b\n';
    assert.deepEqual(markdownRuns(text), [{ text, isPlain: false, continuesPrevious: false }]);
    assert.deepEqual(markdownRuns(''), []);
  });

  const attacks: [string, string][] = [
    ['a table with more cells than characters', table(1000, 200)],
    ['a larger one', table(7000, 7000)],
    ['one in a quote', table(1000, 200).replaceAll(/^/gm, '> ')],
    ['one in a list', `- ${table(1000, 200).replaceAll('\n', '\n  ')}`],
    ['quotes in quotes', '>'.repeat(100_000)],
    ['quotes with spaces', '> '.repeat(50_000)],
    ['lists in lists', '1) '.repeat(2000)],
    ['bullets in bullets', '- '.repeat(50_000)],
    ['lists that are indented', Array.from({ length: 500 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join('')],
    ['a long word', 'x'.repeat(1_000_000)],
    ['emphasis', '_a_'.repeat(20_000)],
    ['open emphasis', '*a '.repeat(20_000)],
    ['brackets', '['.repeat(60_000)],
    ['links that do not end', '[a]('.repeat(20_000)],
    ['images that do not end', '![a'.repeat(20_000)],
    ['backticks', '`a``b'.repeat(12_000)],
    ['angle brackets', '<a '.repeat(20_000)],
    ['references', '&a;'.repeat(20_000)],
    ['carriage returns', '\r'.repeat(40_000)],
    ['tildes', '~~a'.repeat(20_000)],
    ['pairs of underscores', '__a_'.repeat(15_000)],
    ['escapes', '\\['.repeat(30_000)],
    ['mixed', '*_[`<!&'.repeat(10_000)],
  ];
  for (const [name, text] of attacks) {
    it(`${name}: is drawn completely, with no more tokens than characters`, () => {
      assert.ok(tokensOf(text) <= text.length + 100, `${tokensOf(text)} tokens`);
      assert.ok(shownText(text).replace(/\s/g, '') === text.replace(/\s/g, ''), 'every character is drawn');
    });
  }

  it('has few delimiters per lexed part, in long lines and in many paragraphs', () => {
    for (const text of ['_a_'.repeat(20_000), `${'_a_'.repeat(1300)}\n\n`.repeat(20), '[a](b) '.repeat(20_000)]) {
      for (const { text: run } of markdownRuns(text)) {
        for (const paragraph of run.split('\n\n'))
          assert.ok((paragraph.match(/[*_~`[\]!<&]/g) ?? []).length <= 256, `${paragraph.length} characters`);
      }
    }
  });

  it('keeps every character', () => {
    const piece = fc.constantFrom(
      ...[
        '>',
        '> ',
        '- ',
        '1) ',
        '|',
        '|-',
        '\n',
        '\n\n',
        '_a_',
        '**',
        '[',
        '](',
        '`',
        '```\n',
        'x',
        ' ',
        '  ',
        '&',
        '<',
        '![',
        '~~',
        '\\',
        '#',
        '\t',
        '😀',
      ],
    );
    const text = fc
      .array(fc.tuple(piece, fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.map(([part, times]) => part.repeat(times)).join(''));
    fc.assert(
      fc.property(text, (markdown) => {
        assert.equal(
          markdownRuns(markdown)
            .map((run) => run.text)
            .join(''),
          markdown,
        );
        assert.ok(tokensOf(markdown) <= 2 * markdown.length + 100);
      }),
      { numRuns: 200 },
    );
  });
});
