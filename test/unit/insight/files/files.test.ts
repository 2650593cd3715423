import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionFiles } from '../../../../src/insight/files/files.ts';
import { FileHistory } from '../../../../src/insight/files/history.ts';
import { changedLines, unchangedLines } from '../../../../src/insight/files/lineDiff.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { findAdapter } from '../../../../src/agents/registry.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../support/captures/agentCaptures.ts';
import { demoEntries } from '../../../support/evidence/claims.ts';
import { call, edits, reads, runs, writes } from '../../../support/sessions/madeEntries.ts';

function history(entries: readonly NormalizedEntry[], path = 'a.ts', start?: string | null): FileHistory {
  const file = new FileHistory(path, '/w', start);
  for (const entry of entries) file.add(entry);
  return file;
}

const written = (file: FileHistory) => file.lines().map(({ text, by }) => ({ text, by }));

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'one', 'two', '}'), { maxLength: 30 });

describe('line diff', () => {
  it('keeps lines in order, and only equal ones', () => {
    fc.assert(
      fc.property(lines, lines, (before, next) => {
        let last = -1;
        for (const [at, saved] of unchangedLines(before, next).entries()) {
          if (saved === -1) continue;
          assert.equal(before[saved], next[at]);
          assert.ok(saved > last);
          last = saved;
        }
        const { added, removed } = changedLines(before, next);
        assert.equal(before.length - removed + added, next.length);
      }),
    );
  });

  it('keeps all of an unchanged text, and the common lines of others', () => {
    fc.assert(fc.property(lines, (same) => assert.deepEqual(changedLines(same, same), { added: 0, removed: 0 })));
    assert.deepEqual(changedLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']), { added: 2, removed: 1 });
  });

  it('handles large files without common lines', () => {
    const of = (word: string) => Array.from({ length: 50_000 }, (_, at) => `${word} ${at % 7}`);
    assert.deepEqual(changedLines(of('a'), of('b')), { added: 50_000, removed: 50_000 });
  });
});

describe('files of a session', () => {
  const files = (entries: readonly NormalizedEntry[]) => {
    const all = new SessionFiles('/w');
    for (const entry of entries) all.add(entry);
    return all;
  };

  it('are those that calls read or changed, with steps and lines', () => {
    const all = files([
      call(1, reads('/w/a.ts')),
      call(2, runs('ls')),
      call(3, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', added: 3, removed: 1 }] }),
      call(4, writes('/w/new.ts', 'x\ny\n')),
      call(5, reads('b.ts')),
      call(6, { kind: 'file_edit', changes: [{ path: 'gone.ts', kind: 'delete' }] }),
      call(7, reads('c.ts'), { status: 'failed' }),
      call(8, writes('d.ts', ''), { status: 'denied' }),
      call(9, edits('/w/a.ts', 'one\ntwo\n', 'one\nzwei\ndrei\n')),
    ]).all();
    assert.deepEqual(
      all.map(({ path, change, first, last, touches, added, removed, counted }) => [
        path,
        change,
        first.number,
        last.number,
        touches,
        added,
        removed,
        counted,
      ]),
      [
        ['a.ts', 'changed', '1', '9', 3, 5, 2, true],
        ['new.ts', 'changed', '4', '4', 1, 2, 0, true],
        ['gone.ts', 'deleted', '6', '6', 1, 0, 0, false],
        ['b.ts', 'read', '5', '5', 1, 0, 0, true],
      ],
    );
  });

  it('count each call once, even if it is repeated', () => {
    const entry = call(1, edits('a.ts', 'a', 'b'));
    const running = call(1, edits('a.ts', 'a', 'b'), { status: 'running' });
    assert.deepEqual(files([running, entry, entry]).get('/w/a.ts'), files([entry]).get('a.ts'));
  });

  it('count a patch of several edits once, and only reported removals', () => {
    const edit = (at: number) => ({ path: 'a.ts', kind: 'update' as const, oldText: `a${at}`, newText: `b${at}` });
    const patch = '@@ -1,3 +1,3 @@\n-a1\n-a2\n-a3\n+b1\n+b2\n+b3';
    const all = files([
      call(1, { kind: 'file_edit', changes: [{ ...edit(1), patch, added: 3, removed: 3 }, edit(2), edit(3)] }),
      call(2, { kind: 'file_edit', changes: [edit(1), { ...edit(2), path: 'b.ts', added: 4, removed: 0 }] }),
      call(3, { kind: 'file_edit', changes: [{ path: 'c.ipynb', kind: 'update', newText: 'x\ny\n' }] }),
      call(4, { kind: 'file_edit', changes: [{ path: 'd.ipynb', kind: 'update', newText: '' }] }),
      call(5, { kind: 'file_edit', changes: [{ path: 'e.ts', kind: 'add', newText: 'x\n' }] }),
    ]).all();
    assert.deepEqual(
      all.map(({ path, added, removed, counted }) => [path, added, removed, counted]),
      [
        ['a.ts', 4, 4, true],
        ['b.ts', 4, 0, true],
        ['c.ipynb', 2, 0, false],
        ['d.ipynb', 0, 0, false],
        ['e.ts', 1, 0, true],
      ],
    );
  });

  it('are found in the captures of every agent', () => {
    const changed = (agent: string, name: string) => {
      const capture = capturesOf(agent).find((agentCapture) => agentCapture.name === name)!;
      const all = new SessionFiles('/workspace');
      for (const entry of readBy(findAdapter(agent)!, linesOfCapture(capture), capture.exit).entries) all.add(entry);
      return all.all().map(({ path, change, added, removed }) => `${change} ${path} +${added} -${removed}`);
    };
    assert.deepEqual(changed('claude-code', '2.1.328/tools'), ['changed src/app.js +1 -1', 'changed src/new.js +2 -0']);
    assert.deepEqual(changed('codex', '0.20.0/tools'), [
      'changed src/app.js +1 -1',
      'deleted README.md +0 -0',
      'added src/new.js +2 -0',
    ]);
    assert.deepEqual(changed('copilot', '1.0.102/resume-tools'), [
      'changed src/app.js +1 -1',
      'changed src/new.js +2 -0',
    ]);
    assert.deepEqual(changed('gemini', '0.61.0/tools-yolo'), ['changed src/app.js +1 -1', 'changed src/new.js +2 -0']);
  });
});

describe('history of a file', () => {
  it('has the text before and after, and the author of each line', () => {
    const file = history(demoEntries(), 'src/bill.js');
    assert.equal(file.isExact, false);
    const real = new FileHistory('src/bill.js', '/workspace/teahouse');
    for (const entry of demoEntries()) real.add(entry);
    assert.equal(real.isExact, true);
    assert.ok(real.before?.includes('return guests > DISCOUNT'));
    assert.ok(real.after?.includes('return guests >= DISCOUNT'));
    assert.deepEqual(
      real.lines().flatMap(({ by }, at) => (by === null ? [] : [[at + 1, by]])),
      [[20, 17]],
    );
  });

  it('follows writes: an unchanged line keeps its step', () => {
    const file = history([call(1, writes('a.ts', 'one\ntwo\n')), call(2, writes('a.ts', 'one\nzwei\ntwo\n'))]);
    assert.deepEqual(written(file), [
      { text: 'one', by: 1 },
      { text: 'zwei', by: 2 },
      { text: 'two', by: 1 },
      { text: '', by: null },
    ]);
    assert.equal(file.before, undefined);
  });

  it('follows substitutions within and across lines', () => {
    const file = history(
      [call(1, edits('a.ts', 'b c', 'B\nC')), call(2, edits('a.ts', 'C d\n', ''))],
      'a.ts',
      'a\nb c d\ne\n',
    );
    assert.equal(file.after, 'a\nB\ne\n');
    assert.equal(file.before, 'a\nb c d\ne\n');
    assert.equal(file.isExact, true);
    assert.deepEqual(
      file.lines().map(({ by }) => by),
      [null, 1, null, null],
    );
  });

  it('follows numbered patches of unseen text, and marks the rest as unknown', () => {
    const patch = '@@ -10,3 +10,4 @@\n ten\n-eleven\n+elf\n+elfeinhalb\n twelve';
    const file = history([call(1, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', patch }] })]);
    assert.equal(file.after, undefined);
    assert.deepEqual(written(file).slice(8), [
      { text: null, by: null },
      { text: 'ten', by: null },
      { text: 'elf', by: 1 },
      { text: 'elfeinhalb', by: 1 },
      { text: 'twelve', by: null },
    ]);
  });

  it('reports a gap, and recovers with the next whole text', () => {
    const lost = [call(1, edits('a.ts', 'not there', 'x'))];
    assert.deepEqual([history(lost, 'a.ts', 'abc').isExact, history(lost, 'a.ts', 'abc').after], [false, undefined]);
    const back = history([...lost, call(2, reads('a.ts'), { result: { text: '1\tabc\n2\tx\n3\t' } })], 'a.ts', 'abc');
    assert.equal(back.after, 'abc\nx\n');
    const twice = history([call(1, edits('a.ts', 'a', 'b'))], 'a.ts', 'a a');
    assert.equal(twice.isExact, false);
  });

  it('includes files that were created and deleted', () => {
    const add = call(1, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'add', newText: 'x\n' }] });
    const remove = call(2, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'delete' }] });
    assert.deepEqual([history([add]).before, history([add]).after], [null, 'x\n']);
    assert.deepEqual([history([remove], 'a.ts', 'x').before, history([remove], 'a.ts', 'x').after], ['x', null]);
    assert.equal(history([], 'a.ts', null).after, null);
  });

  it('marks lines from outside the session', () => {
    const entries = [
      call(1, writes('a.ts', 'one\ntwo\n')),
      call(2, reads('a.ts'), { result: { text: '1\tone\n2\tuser\n3\ttwo\n4\t' } }),
    ];
    assert.deepEqual(
      history(entries)
        .lines()
        .map(({ by }) => by),
      [1, null, 1, null],
    );
  });

  it('gives the same text as the editor, for any edits', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', 'xy', ' '), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.tuple(fc.nat(), fc.nat(6), text), { maxLength: 8 }), (start, changes) => {
        let now = start;
        const entries = changes.flatMap(([from, length, newText], index) => {
          const at = now === '' ? 0 : from % now.length;
          const oldText = now.slice(at, at + length);
          if (oldText === '' || now.indexOf(oldText) !== now.lastIndexOf(oldText)) return [];
          now = now.slice(0, at) + newText + now.slice(at + oldText.length);
          return [call(index, edits('a.ts', oldText, newText))];
        });
        const file = history(entries, 'a.ts', start);
        assert.equal(file.after, now);
        assert.equal(file.isExact, true);
      }),
    );
  });
});
