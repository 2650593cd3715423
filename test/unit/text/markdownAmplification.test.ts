import assert from 'node:assert/strict';
import { lexMarkdown } from '../../../src/text/boundedLexer.ts';
import { markdownParts } from '../../../webview/markdown/blocks.ts';
import { createAttempt, sizeOf, table } from '../../support/hostile/markdown.ts';

const bytes = (text: string): number => Buffer.byteLength(text);
const drawn = (text: string): number =>
  markdownParts(text).reduce((sum, { blocks }) => sum + sizeOf(blocks.map(({ token }) => token)), 0);

describe('Markdown designed to grow', function () {
  it('in 1,000 variants is drawn within a multiple of its size', () => {
    for (let number = 0; number < 1000; number += 1) {
      for (const size of [1000, 4000]) {
        const text = createAttempt(number, size);
        const about = `attempt ${number} of ${bytes(text)} bytes`;
        assert.ok(drawn(text) <= 4 * bytes(text) + 500, `${about}: drawn as ${drawn(text)}`);
      }
    }
  });

  const large: [string, string][] = [
    ['a table after a line that only looks like a fence', `\`\`\`a\`b\n\n${table(1000, 200)}`],
    ['a table after a comment with a fence', `<!--\n\`\`\`\n-->\n\n${table(1000, 200)}`],
    ['a second table', `|a|\n|-|\n# b\n${table(1000, 200)}`],
    ['a table in a quote after another', `|a|\n|-|\n${table(1000, 200).replaceAll(/^/gm, '> ')}`],
    ['references to a long address', `[a]: http://${'x'.repeat(1990)}\n\n${'[a][a][a]\n\n'.repeat(5000)}`],
    ['many definitions', Array.from({ length: 5000 }, (_, at) => `[a${at}]: b\n\n[a${at}]\n\n`).join('')],
    ['quotes after a comment with a fence', `<!--\n~~~\n-->\n\n${'>'.repeat(100_000)}`],
    ['lists after a comment with a fence', `<!--\n~~~\n-->\n\n${'1) '.repeat(30_000)}`],
    ['emphasis after a comment with a fence', `<!--\n~~~\n-->\n\n${'_a_'.repeat(20_000)}`],
    ['empty headings', '#\n'.repeat(40_000)],
    ['short addresses', 'www.a '.repeat(15_000)],
  ];
  for (const [name, text] of large) {
    it(`such as ${name} stays within the limit, too`, () => {
      assert.ok(drawn(text) <= 4 * bytes(text), `drawn as ${drawn(text)} of ${bytes(text)}`);
    });
  }

  it('would overload the lexer alone', () => {
    for (const text of ['> '.repeat(50_000), '- '.repeat(50_000), table(4000, 4000), '_a_'.repeat(30_000)]) {
      assert.ok(sizeOf(lexMarkdown(text)) <= text.length);
    }
  });

  it('does not affect ordinary tables, references and lists', () => {
    const kinds = (text: string): string[] => (lexMarkdown(text) ?? []).map(({ type }) => type);
    assert.deepEqual(kinds('|a|b|\n|-|-|\n|1|2|\n|3|4|\n'), ['table']);
    assert.deepEqual(kinds('> - a\n>   - b\n'), ['blockquote']);
    const tokens = JSON.stringify(lexMarkdown('See [a] and [b][a].\n\n[a]: https://a.test/b\n'));
    assert.match(tokens, /(?:"href":"https:\/\/a\.test\/b".*){2}/);
  });
});
