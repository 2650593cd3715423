import assert from 'node:assert/strict';
import { Lexer, walkTokens } from 'marked';
import { alignedTable, plainMarkdown } from '../../../../src/formats/pages/markdownText.ts';
import { payloads } from '../../../support/hostile/payloads.ts';

const kindsOf = (text: string): Set<string> => {
  const kinds = new Set<string>();
  void walkTokens(new Lexer({ gfm: true }).lex(text), ({ type }) => void kinds.add(type));
  return kinds;
};

describe('text of a session in a Markdown page', () => {
  const samples = [
    { name: 'backslash before an element', text: String.raw`\<img src=https://evil.example/x.png?\>` },
    { name: 'backslash before a link', text: String.raw`\[press\](https://evil.example)` },
    { name: 'backslash at the end', text: 'a\\' },
    { name: 'bar', text: String.raw`a | b \| c` },
  ];
  for (const { name, text } of [...payloads, ...samples]) {
    it(`is only words: ${name}`, () => {
      for (const kind of kindsOf(`- x: ${plainMarkdown(text)}`)) {
        assert.ok(['list', 'list_item', 'paragraph', 'text', 'escape', 'space'].includes(kind), kind);
      }
    });

    it(`stays one cell of a table: ${name}`, () => {
      const [table] = new Lexer({ gfm: true }).lex(
        alignedTable([
          ['a', 'b'],
          [plainMarkdown(text), 'last'],
        ]),
      );
      assert.ok(table?.type === 'table' && 'rows' in table);
      const [row] = table['rows'] as { text: string }[][];
      assert.deepEqual([row?.length, row?.[1]?.text], [2, 'last']);
    });
  }
});
