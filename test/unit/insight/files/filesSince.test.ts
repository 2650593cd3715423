import assert from 'node:assert/strict';
import { foundFiles } from '../../../../src/insight/files/foundFiles.ts';
import { FileHistory } from '../../../../src/insight/files/history.ts';
import { compareWithDisk } from '../../../../src/insight/files/diskComparison.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, edits, reads, writes } from '../../../support/sessions/madeEntries.ts';

function since(entries: readonly NormalizedEntry[], now: string | null): string {
  const file = new FileHistory('a.ts', '/w');
  for (const entry of entries) file.add(entry);
  return compareWithDisk(file, now);
}

describe('a file since the end of a session', () => {
  const wrote = [call(1, writes('a.ts', 'one\ntwo\n'))];

  it('is unchanged even with other line breaks, else changed or deleted', () => {
    assert.equal(since(wrote, 'one\r\ntwo\r\n'), 'same');
    assert.equal(since(wrote, 'one\ntwo'), 'same');
    assert.equal(since(wrote, 'one\ntwo\nthree\n'), 'changed');
    assert.equal(since(wrote, null), 'gone');
  });

  it('that was partly read is compared with that part', () => {
    const part = [
      call(1, reads('a.ts', { startLine: 2, endLine: 3, totalLines: 9 }), { result: { text: '2\tb\n3\tc' } }),
    ];
    assert.equal(since(part, 'A\nb\nc\nD\n'), 'same');
    assert.equal(since(part, 'A\nb\nC\nD\n'), 'changed');
    assert.equal(since([call(1, reads('a.ts'))], 'whatever'), 'unknown');
  });

  it('is unknown if an edit could not be followed', () => {
    assert.equal(since([call(1, edits('a.ts', 'x', 'y'))], 'y'), 'unknown');
    assert.equal(since([...wrote, call(2, edits('a.ts', 'not there', 'y'))], 'one\ntwo\n'), 'unknown');
  });

  it('that the session deleted is unchanged while it does not exist', () => {
    const gone = [call(1, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'delete' }] })];
    assert.equal(since(gone, null), 'same');
    assert.equal(since(gone, 'back'), 'changed');
  });
});

describe('files found by a search', () => {
  it('are the lines of its result, or the part before a line number', () => {
    const result = [
      'Found 3 files',
      'src/a.ts',
      '/w/src/b.ts:12:import { x } from "./hidden.ts"',
      './src/c.ts:3-7',
      'C:\\w\\d.ts:9:text',
      'src/a.ts:4: again',
      'No files in e.ts were left',
      'const path = "f.ts"',
      'https://example.org/g.ts',
    ];
    assert.deepEqual(foundFiles(result.join('\n')), ['src/a.ts', '/w/src/b.ts', './src/c.ts', 'C:\\w\\d.ts']);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 5000 }, (_, at) => `src/f${at}.ts`).join('\n');
    assert.equal(foundFiles(many).length, 1000);
    assert.deepEqual(foundFiles(`${'x'.repeat(100_000)}.ts`), []);
  });
});
