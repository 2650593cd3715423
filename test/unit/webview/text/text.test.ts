import * as assert from 'node:assert/strict';
import { changeCounts, diffLines } from '../../../../webview/steps/diff.ts';
import { clock, duration, plainUsd, usd } from '../../../../webview/text/format.ts';
import { splitPath } from '../../../../webview/text/paths.ts';
import { firstWords, pieces, plain, settledLines, withoutTerminalCodes } from '../../../../webview/text/visible.ts';

describe('amounts', () => {
  it('are shown in cents, and without noise and exponents for programs', () => {
    const cases: readonly (readonly [number, string, string])[] = [
      [0.07306299999999999, '$0.07', '0.073063'],
      [12, '$12.00', '12'],
      [0.006448, '$0.0064', '0.006448'],
      [0.00012345678, '$0.0001', '0.00012345678'],
      [0.0000001, '< $0.0001', '0.0000001'],
      [0, '$0.00', '0'],
    ];
    for (const [amount, shown, exact] of cases) assert.deepEqual([usd(amount), plainUsd(amount)], [shown, exact]);
  });

  it('never show a small amount as zero', () => {
    for (let power = 1; power < 12; power++) assert.doesNotMatch(usd(4 * 10 ** -power), /^\$0\.0*$/);
  });
});

describe('times', () => {
  it('are short', () => {
    assert.deepEqual([400, 41_300, 178_000, 3_840_000].map(duration), ['0.4 s', '41.3 s', '2 min 58 s', '1 h 4 min']);
    assert.deepEqual([42_000, 725_000, 3_725_000].map(clock), ['0:42', '12:05', '1:02:05']);
  });
});

describe('invisible characters', () => {
  it('are made visible', () => {
    assert.equal(plain('a\u202eb\u0007c\u200b'), 'a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩');
    assert.deepEqual(pieces('rm \u202etxt'), [
      { text: 'rm ', isEscape: false },
      { text: 'U+202E', isEscape: true },
      { text: 'txt', isEscape: false },
    ]);
    assert.equal(plain('tab\there\nline \u{e0041}'), 'tab\there\nline ⟨U+E0041⟩');
    assert.equal(plain('日本 é 😀'), '日本 é 😀');
  });

  it('of a terminal are removed, with what they overwrote', () => {
    assert.equal(
      withoutTerminalCodes('\u001b[31;1mred\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u0007'),
      'red link',
    );
    assert.equal(settledLines('10%\r50%\r100%\nend\r\n'), '100%\nend\n');
  });
});

describe('first words', () => {
  it('are those of the first line with text', () => {
    assert.equal(firstWords('\n\n## The **cause**\nmore'), 'The cause');
  });
});

describe('paths', () => {
  it('have a name and a folder in the project', () => {
    assert.deepEqual(splitPath('/p/src/a.ts', '/p'), { name: 'a.ts', folder: 'src' });
    assert.deepEqual(splitPath('/p2/a.ts', '/p'), { name: 'a.ts', folder: '/p2' });
    assert.deepEqual(splitPath('C:\\p\\src\\a.ts', 'C:\\p'), { name: 'a.ts', folder: 'src' });
    assert.deepEqual(splitPath('', '/p'), { name: '', folder: '' });
  });
});

describe('changes', () => {
  const patch = '@@ -2,2 +2,3 @@\n a\n-b\n+c\n+d\n@@ -9,1 +10,1 @@\n e';

  it('have the numbers of their patch', () => {
    assert.deepEqual(
      diffLines({ path: 'f', kind: 'update', patch }).map(({ kind, before, after }) => [kind, before, after]),
      [
        ['same', 2, 2],
        ['del', 3, undefined],
        ['add', undefined, 3],
        ['add', undefined, 4],
        ['gap', undefined, undefined],
        ['same', 9, 10],
      ],
    );
  });

  it('without numbers keep the common text at both ends', () => {
    const lines = diffLines({ path: 'f', kind: 'update', oldText: 'a\nb\nz\n', newText: 'a\nc\nd\nz\n' });
    assert.deepEqual(
      lines.map(({ kind, text }) => `${kind} ${text}`),
      ['same a', 'del b', 'add c', 'add d', 'same z'],
    );
  });

  it('are counted by the agent, else here, and not at all if truncated', () => {
    const texts = { path: 'f', kind: 'update' as const, oldText: 'a', newText: 'b\nc' };
    assert.deepEqual(changeCounts([{ path: 'f', kind: 'update', patch, added: 7, removed: 1 }, texts], false), {
      added: 7,
      removed: 1,
    });
    assert.deepEqual(changeCounts([texts], false), { added: 2, removed: 1 });
    assert.equal(changeCounts([texts], true), undefined);
  });
});
