import * as assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Lexer } from 'marked';
import { repeatTo } from '../../../support/hostile/growing.ts';
import { markdownParts, MarkdownStream, type Part } from '../../../../webview/markdown/blocks.ts';
import { entities } from '../../../../webview/markdown/entities.ts';
import { linkTarget } from '../../../../webview/markdown/targets.ts';

const shape = (parts: readonly Part[]): string =>
  JSON.stringify(
    parts.flatMap(({ blocks }) =>
      blocks.map(({ token }) => [token.type, String('text' in token ? token.text : token.raw)]),
    ),
  );

function streamed(text: string, size: number): readonly Part[] {
  const stream = new MarkdownStream();
  for (let at = 0; at < text.length; at += size) {
    stream.append(text.slice(at, at + size));
    stream.update();
  }
  stream.update(true);
  return stream.parts;
}

const samples: Readonly<Record<string, string>> = {
  prose: 'One.\n\nTwo *and* more\nlines.\n\n## Head\n\nThree',
  lists: '- a\n- b\n\n  still b\n\n* c\n\n1. x\n2. y\n   - z\n\nend',
  code: 'Before\n\n```ts\nconst a = 1;\n\n```not a fence end\n```\n\nafter\n\n~~~\nopen to the end',
  table: '| a | b |\n|---|--:|\n| 1 | 2 |\n\ntext',
  mixed: '> quote\n> more\n\n---\n\nSetext\n===\n\n    indented\n\n<div>html</div>\n\n- [ ] task\n- [x] done\n',
};

describe('streamed markdown', () => {
  for (const [name, text] of Object.entries(samples)) {
    it(`equals the complete text: ${name}`, () => {
      for (const size of [1, 3, 7, 20])
        assert.equal(shape(streamed(text, size)), shape(markdownParts(text)), `in pieces of ${size}`);
    });
  }

  it('loses no character', () => {
    const letters = (text: string): string => text.replace(/[^a-z]/g, '');
    const line = fc.constantFrom(
      '',
      'abc def',
      '- abc',
      '  - def',
      '1. ghi',
      '```',
      '```js',
      '~~~',
      '# jkl',
      '> mno',
      '| p | q |',
      '|---|---|',
      '    rst',
      '***uvw***',
      '===',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (lines, size) => {
        const text = lines.join('\n');
        const all = streamed(text, size).flatMap(({ blocks }) =>
          blocks.map(({ token }) =>
            'lang' in token ? `${String(token.lang)}${'text' in token ? String(token.text) : ''}` : token.raw,
          ),
        );
        assert.equal(letters(all.join('')), letters(text));
      }),
      { numRuns: 300 },
    );
  });

  it('splits what does not end: a long line, a long code block', () => {
    for (const text of ['word '.repeat(20_000), '```\n' + 'x = 1;\n'.repeat(20_000)]) {
      const parts = streamed(text, 5000);
      assert.ok(parts.length > 5, String(parts.length));
      assert.ok(parts.slice(1).every(({ blocks }) => blocks[0]?.isJoined === true));
    }
  });

  it('has few blocks per part, however small', () => {
    for (const text of ['#\n'.repeat(2000), '---\n'.repeat(1000), '```\na\n```\n'.repeat(300)]) {
      for (const { blocks } of markdownParts(text)) assert.ok(blocks.length <= 50, `${blocks.length} blocks`);
    }
  });

  const dense: Readonly<Record<string, string>> = {
    'task lists': '- [ ] abc\n',
    'empty items': '-\n',
    'mail addresses': 'abc@def.gh ',
    links: '[abc](def) ',
    'addresses in brackets': '<http://abc> ',
    code: '`abc` ',
    emphasis: '*abc* ',
    'line breaks': 'abc  \n',
    images: '![abc](def) ',
    'nested lists': '- - - - abc\n',
    'characters that are not seen': 'abc\u200b ',
    quotes: '> abc\n\n',
  };
  for (const [name, piece] of Object.entries(dense)) {
    it(`has few elements per part, and all of the text: ${name}`, () => {
      for (const size of [4000, 40_000, 250_000]) {
        const text = repeatTo(piece, size);
        for (const parts of [markdownParts(text), streamed(text, 997)]) {
          for (const { blocks, elements } of parts) {
            assert.ok(elements <= 900 && (elements <= 320 || blocks.length === 1), `${elements} in ${blocks.length}`);
          }
          const letters = parts.flatMap(({ blocks }) => blocks.map(({ token }) => token.raw.replace(/[^a-z]/g, '')));
          assert.equal(letters.join('').length, text.replace(/[^a-z]/g, '').length);
        }
      }
    });
  }

  it('splits a long list and table, and continues the numbers', () => {
    const list = Array.from({ length: 500 }, (_, at) => `${at + 1}. abc\n`).join('');
    let next = 1;
    for (const { token } of markdownParts(list).flatMap(({ blocks }) => blocks)) {
      assert.ok('start' in token && 'items' in token && Array.isArray(token.items) && token.items.length <= 200);
      assert.equal(token.start, next);
      next += token.items.length;
    }
    assert.equal(next, 501);
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(900)}`;
    let rows = 0;
    for (const { token } of markdownParts(table).flatMap(({ blocks }) => blocks)) {
      assert.ok('rows' in token && Array.isArray(token.rows) && token.rows.length <= 300);
      rows += token.rows.length;
    }
    assert.equal(rows, 900);
  });

  it('keeps an ordinary message of 4 KB in one part', () => {
    const list = '- **Name**: what `it()` does, and [where](src/a.ts:12) it is found in the end.\n';
    const text = `## Head\n\nSome words *of* a message.\n\n${list.repeat(28)}\n| a | b |\n|---|---|\n| 1 | 2 |\n`;
    assert.equal(markdownParts(text).length, 1);
  });

  it('reads about as much for a piece at the end of a long text as at its start', () => {
    const readFor = (chars: number): number => {
      const original = Object.getOwnPropertyDescriptor(Lexer.prototype, 'lex')!;
      let read = 0;
      Lexer.prototype.lex = function (text) {
        read += text.length;
        return Reflect.apply(original.value as typeof this.lex, this, [text]);
      };
      try {
        streamed(repeatTo(samples['mixed']!, chars), 20);
      } finally {
        Object.defineProperty(Lexer.prototype, 'lex', original);
      }
      return read;
    };
    const [one, four] = [readFor(50_000), readFor(200_000)];
    assert.ok(one > 50_000 && four <= 4.1 * one, `${four} characters against ${one}`);
  });
});

describe('targets of links', () => {
  it('are web pages (http and https) and files', () => {
    assert.deepEqual(linkTarget('https://example.com/a?b#c'), { kind: 'page', url: 'https://example.com/a?b#c' });
    assert.deepEqual(linkTarget('src/a.ts:12:3'), { kind: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(linkTarget('/abs/a%20b.ts#L7'), { kind: 'file', path: '/abs/a b.ts', line: 7 });
    assert.deepEqual(linkTarget('C:\\work\\a.ts:4'), { kind: 'file', path: 'C:\\work\\a.ts', line: 4 });
  });

  it('are nothing else', () => {
    const nowhere = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://x/1',
      'command:workbench.action.quit',
      'vscode://x/y',
      'vscode-insiders:x',
      'file:///etc/passwd',
      'mailto:a@b',
      '//example.com',
      '\\\\server\\share',
      '#top',
      '',
      'https://',
      'src/\u202egnp.ts',
      '%5C%5Chost%5Cshare',
      '%2f%2fhost/share',
      '%255C%255Chost',
      'src/%c0%af',
      'javascript%3Aalert(1)',
      'http:/\u0000/x',
    ];
    for (const address of nowhere) assert.equal(linkTarget(address), undefined, JSON.stringify(address));
  });
});

describe('character references', () => {
  it('become characters; unknown ones stay', () => {
    assert.equal(
      entities('&lt;b&gt; &amp;amp; &#65;&#x42; &unknown; &constructor; &#0;'),
      '<b> &amp; AB &unknown; &constructor; \ufffd',
    );
  });
});
