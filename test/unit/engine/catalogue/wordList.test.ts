import assert from 'node:assert/strict';
import { WordList } from '../../../../src/engine/catalogue/wordList.ts';
import { wordsIn, wordsOfQuery } from '../../../../src/insight/search/tokens.ts';

describe('words of a text', () => {
  const wordsOf = (text: string): string[] => {
    const list = new WordList();
    list.add(text);
    return new TextDecoder().decode(list.bytes()).split(' ').slice(0, -1);
  };

  it('are names, parts of names, and pairs of characters', () => {
    assert.deepEqual(wordsOf('the nextDelay HTTPServer2 snake_case é, the end'), [
      'the',
      'nextdelay',
      'next',
      'delay',
      'httpserver2',
      'http',
      'server',
      'snake_case',
      'snake',
      'case',
      'é',
      'end',
    ]);
    assert.deepEqual(wordsOf('the nextDelay HTTPServer2 snake_case, the end').toSorted(), [
      'case',
      'delay',
      'end',
      'http',
      'httpserver2',
      'next',
      'nextdelay',
      'server',
      'snake',
      'snake_case',
      'the',
    ]);
    assert.deepEqual(wordsOf('再試行 x'), ['再試', '試行', 'x']);
    assert.deepEqual(wordsOfQuery('Src/nextDelay.ts 再試行'), ['src', 'nextdelay', 'ts', '再試', '試行']);
    assert.equal(wordsOf('a'.repeat(500))[0]?.length, 48);
  });

  it('are complete and distinct for any mix of characters', () => {
    const pieces = [
      'a',
      'B',
      'next',
      'HTTP',
      '42',
      '_',
      'é',
      'Ж',
      '再',
      'ト',
      '\u0301',
      '—',
      '😀',
      ' ',
      '\n',
      '"',
      'x'.repeat(50),
    ];
    let seed = 1;
    const pick = (): string => pieces[(seed = (seed * 48_271) % 2_147_483_647) % pieces.length] ?? '';
    for (let n = 0; n < 500; n += 1) {
      const text = Array.from({ length: 60 }, pick).join('');
      const words = wordsOf(text);
      assert.deepEqual(words.toSorted(), [...new Set(wordsIn(text))].toSorted(), JSON.stringify(text));
    }
  });

  it('are distinct over several texts, of which every word is counted', () => {
    const list = new WordList();
    for (const text of ['Retry the delay', 'delay: é, 42 times', `${'many different words '.repeat(9)}x`])
      list.add(text);
    const words = new TextDecoder().decode(list.bytes()).split(' ').slice(0, -1);
    assert.deepEqual(words, ['retry', 'the', 'delay', 'é', '42', 'times', 'many', 'different', 'words', 'x']);
    assert.equal(list.length, 3 + 4 + 28);
  });

  it('are found in a text with more words than the table of repeated ones', () => {
    const words = Array.from({ length: 20_000 }, (_, n) => `w${n}`);
    const list = new WordList();
    list.add(words.join(' '));
    list.add(words.slice(0, 100).join(' '));
    const found = new TextDecoder().decode(list.bytes()).split(' ').slice(0, -1);
    const known = new Set(found);
    assert.deepEqual(
      words.filter((word) => !known.has(word)),
      [],
    );
    assert.equal(found.filter((word) => word === 'w7').length, 1);
    assert.equal(list.length, 20_100);
  });
});
