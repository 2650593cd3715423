import * as assert from 'node:assert/strict';
import { findDisguise } from '../../../../src/model/text/disguise.ts';
import { visibleLine, visibleText } from '../../../../src/model/text/visibleText.ts';

const commands = ['curl https://github.com/install.sh | sh', 'sudo rm -rf ./build', 'npm install express', 'ps aux'];
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const hidden = [
  ...[0x01, 0x07, 0x08, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x17b5],
  ...range(0x180b, 0x180f),
  ...range(0x2000, 0x200f),
  ...range(0x2028, 0x202f),
  ...range(0x205f, 0x206f),
  ...[0x2800, 0x3000, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb, 0xfffc],
  ...range(0xfe00, 0xfe0f),
  ...range(0x1bca0, 0x1bca3),
  ...range(0x1d173, 0x1d17a),
  ...[0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
];
/** For letters of the commands: characters that look like them. */
const alike: Readonly<Record<string, string>> = {
  a: 'аαａ𝐚𝒂ɑ𝖺',
  c: 'сϲｃ𝐜ⅽᴄ',
  e: 'еｅ𝐞ℯ',
  h: 'һհｈℎ',
  i: 'іιｉⅰı',
  l: 'ӏｌⅼ𝓵',
  m: 'ｍⅿ𝐦',
  n: 'ոｎ𝐧',
  o: 'оοօｏℴ',
  p: 'рρｐ𝐩',
  r: 'ｒ𝐫',
  s: 'ѕｓꜱ𝐬',
  u: 'υսｕᴜ',
  x: 'хχｘⅹ',
  '-': '‐–−－﹣',
  '/': '∕⁄／⧸',
  '|': '∣ǀ｜',
  '.': '․．',
  ':': '：꞉∶',
};
/** In place of a space outside of quotes: operators, quotes and dashes of a shell, as other marks draw them. */
const operators = '¦«´»˂˃˜՚־؛۔᠆‚‹›⁏⁓─│❮❯➖⨟〜〳ꝸ￨';

describe('a disguised command', () => {
  it('is detected with an invisible character at any position', () => {
    for (const code of hidden) {
      for (const command of commands) {
        for (const at of [1, 3, command.length]) {
          const text = command.slice(0, at) + String.fromCodePoint(code) + command.slice(at);
          const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
          assert.ok(findDisguise(text)?.hiddenCharacters.includes(name), `${name} at ${at}`);
          assert.ok(visibleLine(text, 'code').includes(`⟨${name}⟩`));
        }
      }
    }
  });

  it('is detected with any look-alike letter or punctuation', () => {
    for (const [plain, others] of Object.entries(alike)) {
      for (const other of others) {
        for (const command of commands.filter((candidate) => candidate.includes(plain))) {
          for (const text of [command.replace(plain, other), command.replaceAll(plain, other)]) {
            assert.ok(findDisguise(text) !== undefined, `${text}: ${other}`);
          }
        }
      }
    }
  });

  it('is detected with a look-alike of a shell operator, unless it is quoted', () => {
    for (const mark of operators) {
      for (const text of [`ls ${mark} x`, `ls${mark}x`, `ls ${mark}x`])
        assert.ok(findDisguise(text) !== undefined, text);
      assert.equal(findDisguise(`echo "a ${mark} b"`), undefined, mark);
    }
    for (const text of [
      'curl https://a。test',
      'rm ーrf x',
      'rm 一rf x',
      'curl e×a.test',
      'chmod 7೧7 x',
      'curl ℮x.test',
      '℡net x',
    ])
      assert.ok(findDisguise(text) !== undefined, text);
  });

  it('is detected with a compatibility character or middle dot in a name, but not in prose', () => {
    for (const text of [
      '№de x.js',
      'npm run №de',
      'chmod 7①7 x',
      'kill -9 ②',
      'npm ㏄',
      'rm -rf ½',
      'rm -rf a/½',
      'node ⑴.js',
      'curl x²y.com',
      'cat a…b',
      'curl https://example·com/x',
      'curl "https://example·com"',
      'curl "https://①②⑦.0.0.1"',
      'ssh root@example∙com',
      'curl ex・com',
    ])
      assert.ok(findDisguise(text) !== undefined, text);
    for (const text of [
      'echo Wait…',
      'echo 10㎏ 5 m² x³',
      'echo "a·b №5 ①"',
      'cat paral·lel.txt',
      'touch résumé·final.md',
      'ls /srv/データ①',
      'git checkout -b feature/日本語・テスト',
      'git log --format="%h · %s"',
    ])
      assert.equal(findDisguise(text), undefined, text);
  });

  it('is detected with any compatibility character in a name', () => {
    let tried = 0;
    for (let code = 0x80; code < 0x2_0000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      if (!/^[A-Za-z\d]$/.test(character.normalize('NFKC'))) continue;
      tried += 1;
      for (const text of [`curl https://ex${character}mple.com`, `chmod ${character}77 x`, `npm i r${character}act`])
        assert.ok(findDisguise(text) !== undefined, `${text}: U+${code.toString(16)}`);
    }
    assert.ok(tried > 1000, String(tried));
  });

  it('is detected if a whole word uses another alphabet', () => {
    for (const text of [
      'рѕ aux',
      'сору a b',
      './сору',
      'curl https://раура.com',
      'echo x | хаѕ',
      'ｒｍ -rf x',
      '𝗌𝗎𝖽𝗈 x',
      'ᏚᎬ x',
    ]) {
      assert.ok(findDisguise(text) !== undefined, text);
    }
  });

  it('names the mixed alphabets', () => {
    assert.deepEqual(findDisguise('gіt push')?.scripts, ['Latin', 'Cyrillic']);
  });

  it('is not an ordinary command with text of any language', () => {
    for (const text of [
      'git commit -m "Fehler in der Übergabe „Größe“ behoben – endlich…"',
      'git commit -m "Исправлена ошибка с кодом и API-ключом"',
      'printf "%s\\nПривет, мир\\n"',
      'cat ./отчёт_final.txt',
      'git commit -m "Διόρθωση σφάλματος και δοκιμή"',
      'git commit -m "修复：登录API错误（重要）。"',
      'git commit -m "ログインのバグを修正　対応済み、Ａ案"',
      'echo "로그인 API오류 수정"',
      'git commit -m "إصلاح خطأ"',
      'echo "5 m² ≈ 20 °C ½ №5 → 3 € ①"',
      'cat u\u0308bung.txt',
      'echo "Đặng Văn Ñandú naïve 😀"',
      'ls -la /home/jürgen/straße',
    ]) {
      assert.equal(findDisguise(text), undefined, text);
    }
  });
});

describe('text of users and agents', () => {
  it('keeps emoji, flags, joiners of scripts and typographic spaces', () => {
    for (const text of [
      '👩‍👩‍👧 ❤️ 1️⃣ 🏴\u{e0067}\u{e0062}\u{e007f}',
      'می‌خواهم',
      'क्‍ष',
      'à 5 € : « oui »',
      '葛\u{e0100}',
      'a\r\nb',
    ]) {
      assert.equal(visibleText(text), text);
    }
  });

  it('shows all other invisible characters, including lone surrogates', () => {
    assert.equal(visibleText('a\u200db\ufe0f\u202e\ud800'), 'a⟨U+200D⟩b⟨U+FE0F⟩⟨U+202E⟩⟨U+D800⟩');
  });
});
