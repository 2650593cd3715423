import * as assert from 'node:assert/strict';
import type { PageLink } from '../../../../src/protocol/panel/evidence.ts';
import { placeLinks } from '../../../../webview/cite/places.ts';
import { markdownParts } from '../../../../webview/markdown/blocks.ts';

/** A link for each `«…»` of a text, which is taken out of it. */
function linked(text: string): { content: string; links: PageLink[] } {
  const links: PageLink[] = [];
  let content = '';
  for (const part of text.split(/(«[^»]*»)/)) {
    const inner = part.startsWith('«') ? part.slice(1, -1) : undefined;
    if (inner !== undefined) {
      const range = [content.length, content.length + inner.length] as const;
      links.push({ at: links.length, number: links.length + 1, status: 'found', range });
    }
    content += inner ?? part;
  }
  return { content, links };
}

function marked(text: string): { texts: string[][]; rest: number[] } {
  const { content, links } = linked(text);
  const { pieces, rest } = placeLinks(markdownParts(content), content, links);
  const all = [...pieces.values()].flat();
  return {
    texts: links.map(({ at }) => all.filter((piece) => piece.links.some((link) => link.at === at)).map((p) => p.text)),
    rest: rest.map(({ at }) => at),
  };
}

describe('positions of citation links in Markdown', () => {
  const cases: readonly (readonly [string, string, string[][]])[] = [
    ['plain words', 'One «two three» four', [['two three']]],
    ['emphasis and code', '**One «two** `three`» four', [['two', ' ', 'three']]],
    ['code with its back-ticks', 'See «`src/a.ts:3`» now', [['src/a.ts:3']]],
    ['a part of code', 'See `src/«a.ts»:3` now', [['a.ts']]],
    ['the label of a link', 'See «[the page](https://a.b/c)» now', [['the page']]],
    ['a bare address', 'See «https://a.b/c» now', [['https://a.b/c']]],
    ['lists that are nested', '- one\n  - two «three»\n    four «five»\n- six', [['three'], ['five']]],
    ['tasks', '- [x] done «a»\n  more «b»', [['a'], ['b']]],
    ['quotations', '> one «two»\n> three «four»', [['two'], ['four']]],
    ['tables, also of the same words', '| a | b |\n|---|---|\n| x | «x» |', [['x']]],
    ['headings', '## The «file»\n\nText «here»', [['file'], ['here']]],
    ['characters of more than one unit', '😀 «𝒳 y» 😀', [['𝒳 y']]],
    ['references to characters', 'a &amp; «b &lt; c» d', [['b < c']]],
    ['several blocks', 'One «two\n\nthree» four', [['two', 'three']]],
    ['line breaks of Windows', 'One\r\ntwo «three»\r\n\r\nfour «five»', [['three'], ['five']]],
    ['the same words twice', 'run run «run» run', [['run']]],
    ['ranges in each other', 'a «b c» d', [['b c']]],
  ];
  for (const [name, text, wanted] of cases) {
    it(`are exact in ${name}`, () => {
      assert.deepEqual(marked(text), { texts: wanted, rest: [] });
    });
  }

  it('move to the end of the message for code blocks', () => {
    assert.deepEqual(marked('Text\n\n```ts\nlet «a» = 1;\n```\n\nlet a'), { texts: [[]], rest: [0] });
  });

  it('move to the end of the message for sources without text', () => {
    const links: PageLink[] = [{ at: 0, number: 1, status: 'given', range: [4, 4] }];
    const { pieces, rest } = placeLinks(markdownParts('Text'), 'Text', links);
    assert.deepEqual([pieces.size, rest], [0, links]);
  });

  it('alter no text, wherever the ranges are', () => {
    const text = 'A &amp; b *c* `d e` [f](g) \\* h <i> j\n\n- k\n  l\n- m &#x41; n\n\n> o\np';
    const parts = markdownParts(text);
    for (let start = 0; start < text.length; start++) {
      for (let end = start + 1; end <= Math.min(text.length, start + 12); end++) {
        const link: PageLink = { at: 0, number: 1, status: 'found', range: [start, end] };
        const { pieces } = placeLinks(parts, text, [link]);
        const whole = placeLinks(parts, text, [{ ...link, range: [0, text.length] }]).pieces;
        for (const [token, own] of pieces) {
          const shownText = own.map((piece) => piece.text).join('');
          assert.equal(
            shownText,
            whole
              .get(token)
              ?.map((piece) => piece.text)
              .join(''),
          );
        }
      }
    }
  });

  it('are all found in a long message', () => {
    const { content, links } = linked(
      'The «file» is at `src/a.ts` and **so** on, as [said](https://a.b).\n\n'.repeat(3000),
    );
    const { rest, parts } = placeLinks(markdownParts(content), content, links);
    assert.equal(rest.length, 0);
    assert.equal(parts.size, 3000);
  });
});
