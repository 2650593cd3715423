import * as assert from 'node:assert/strict';
import { spansOf } from '../../../../webview/code/grammars.ts';
import { codeGroups, languageOf, placeSpans, toPlain } from '../../../../webview/code/spans.ts';
import { contrast, paletteRgb, readableColor, rgbOf } from '../../../../webview/steps/contrast.ts';
import { repeatTo, terminalPieces } from '../../../support/hostile/growing.ts';
import { withColorsOnly, withoutTerminalCodes } from '../../../../webview/text/visible.ts';

const shownSpans = (language: string, text: string): string[] => {
  const plain = toPlain(text);
  return placeSpans(spansOf(language, plain.text), plain).map(
    ({ from, to, group }) => `${group} ${JSON.stringify(text.slice(from, to))}`,
  );
};

describe('code', () => {
  it('is highlighted by syntax', () => {
    assert.deepEqual(shownSpans('ts', 'const a: string = `x${1}`; // why'), [
      'keyword "const"',
      'name "a"',
      'type "string"',
      'string "`x"',
      'string "${"',
      'number "1"',
      'string "}"',
      'string "`"',
      'comment "// why"',
    ]);
    assert.deepEqual(shownSpans('diff', '+in\n-out\n same'), ['added "+in"', 'removed "-out"']);
    assert.deepEqual(shownSpans('klingon', 'const a'), []);
    for (const [language, text] of [
      ['python', 'def f(): return "a"'],
      ['bash', 'if true; then echo "x"; fi'],
      ['json', '{"a": [1, true, null]}'],
      ['rust', 'fn main() { let x = 1; }'],
      ['html', '<b class="x">t</b>'],
      ['jsx', 'const x = <b>t</b>;'],
      ['yml', 'a: true'],
      ['toml', '[a]\nb = 1'],
    ] as const) {
      const named = languageOf(`a.${language}`);
      const groups = new Set(spansOf(named, text).map(({ group }) => group));
      assert.ok(groups.size > 0, language);
      assert.ok([...groups].every((group) => codeGroups.includes(group)));
    }
  });

  it('gets its language from the file name', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['/p/src/a.ts', 'ts'],
      ['C:\\p\\Dockerfile', 'dockerfile'],
      ['/p/.gitignore', 'gitignore'],
      ['Cargo.toml', 'ini'],
      ['LICENSE', ''],
      ['x.constructor', 'constructor'],
    ];
    for (const [path, language] of cases) assert.equal(languageOf(path), language, path);
    assert.deepEqual(spansOf('constructor', 'x'), []);
  });

  it('keeps line numbers of agents', () => {
    const text = '     9→const a = 1;\n    10→/* over\n    11→lines */\n';
    assert.deepEqual(shownSpans('ts', text), [
      'keyword "const"',
      'number "1"',
      'comment "/* over\\n"',
      'comment "lines */"',
    ]);
  });

  it('is highlighted up to a limit, at the end of a line', () => {
    const { text } = toPlain('const a = 1;\n'.repeat(5000));
    assert.ok(text.length <= 20_000 && text.endsWith('\n'));
  });
});

describe('terminal output', () => {
  it('keeps colours and drops every other sequence', () => {
    const cases: readonly (readonly [string, string | undefined, string])[] = [
      ['plain', undefined, 'plain'],
      ['\u001b[31;1mred\u001b[0m', '\u001b[31;1mred\u001b[0m', 'red'],
      ['\u001b[2J\u001b[1;1H\u001b[32mok\u001b[K', '\u001b[32mok', 'ok'],
      ['\u001b]0;title\u0007\u001b[?25l\u001b(B\u001b[mx', '\u001b[mx', 'x'],
      ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\ \u009b33my', 'link \u001b[33my', 'link y'],
      ['\u001bP1$r0m\u001b\\\u001b7a\u001b8\u001b=\u001b[34mb', 'a\u001b[34mb', 'ab'],
      ['\u001b[38:2::1:2:3mx\u001b[4:3my', undefined, 'xy'],
      ['\u001b[35mnot ended \u001b]0;t', '\u001b[35mnot ended 0;t', 'not ended 0;t'],
    ];
    for (const [text, colours, plain] of cases) {
      assert.equal(withColorsOnly(text), colours, JSON.stringify(text));
      assert.equal(withoutTerminalCodes(text), plain, JSON.stringify(text));
    }
  });

  it('survives any content, even if designed to be slow', () => {
    for (const piece of terminalPieces) {
      const text = repeatTo(piece, 2_000_000);
      assert.ok(withoutTerminalCodes(`${text}\u001b[1mend`).endsWith('end'), JSON.stringify(piece));
      assert.ok(withColorsOnly(`${text}\u001b[1mend`)?.endsWith('\u001b[1mend'), JSON.stringify(piece));
    }
  });

  it('is readable on any background', () => {
    const grounds = ['#000', '#1f1f1f', '#ffffff', '#767676', 'rgb(0, 43, 54)'].flatMap((css) => rgbOf(css) ?? []);
    assert.equal(grounds.length, 15);
    for (const css of ['#000', '#1f1f1f', '#ffffff', '#767676', 'rgb(0, 43, 54)']) {
      const ground = rgbOf(css);
      assert.ok(ground !== undefined);
      for (let number = 16; number < 256; number += 1) {
        assert.ok(contrast(readableColor(paletteRgb(number), ground), ground) >= 4.5, `${number} on ${css}`);
      }
    }
    assert.deepEqual(paletteRgb(16), [0, 0, 0]);
    assert.deepEqual(paletteRgb(214), [255, 175, 0]);
    assert.deepEqual(paletteRgb(255), [238, 238, 238]);
    assert.deepEqual(rgbOf('#AbCdEf80'), [171, 205, 239]);
    assert.equal(rgbOf('red'), undefined);
  });
});
