import assert from 'node:assert/strict';
import { FileHistory } from '../../../../src/insight/files/history.ts';
import { claimedRanges, lineClaims } from '../../../../src/insight/files/lineClaims.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, edits, reads, writes } from '../../../support/sessions/madeEntries.ts';

function record(session: string, entries: readonly NormalizedEntry[]) {
  const file = new FileHistory('a.ts', '/w');
  for (const entry of entries) file.add(entry);
  return { session, lines: file.lines(), fragments: file.fragments() };
}

/** For each line who is first among its claims: `s1:3` for a step that wrote it, `~` where it was edited, `?` for a read. */
function best(text: string, ...records: ReturnType<typeof record>[]): string[] {
  return lineClaims(text.split('\n'), records).map(([claim]) => {
    if (claim === undefined) return '';
    const mark = claim.kind === 'read' ? '?' : claim.isEditedSince ? '~' : '';
    return `${claim.session}:${claim.entryIndex}${mark}`;
  });
}

const patch = (index: number, text: string): NormalizedEntry =>
  call(index, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', patch: text }] });
const whole = 'import a;\n\nfunction one() {\n  return first(a);\n}\n\nfunction two() {\n  return second(a);\n}\n';

describe('why a line is there', () => {
  it('is the step that wrote it, even if the line moved', () => {
    const file = record('s', [call(3, writes('a.ts', whole))]);
    const moved = `// by hand\n// and more\n${whole}`;
    assert.deepEqual(best(moved, file).slice(0, 4), ['', '', 's:3', 's:3']);
    assert.deepEqual(best(whole.replaceAll('\n', '\r\n'), file).slice(0, 4), ['s:3', 's:3', 's:3', 's:3']);
  });

  it('reports that the line was edited since', () => {
    const file = record('s', [call(3, writes('a.ts', whole))]);
    const edited = whole.replace('return second(a);', 'return second(a, b);');
    assert.equal(best(edited, file)[7], 's:3~');
    assert.equal(best(edited, file)[3], 's:3');
    const other = whole.replace('return second(a);', 'throw new Error(`nothing of the kind`);');
    assert.equal(best(other, file)[7], '', 'what is nothing like it is not its doing');
  });

  it('is never a step that only read it, but lists that step', () => {
    const numbered = whole
      .split('\n')
      .map((line, at) => `${at + 1}\t${line}`)
      .join('\n');
    const read = call(1, reads('a.ts'), { result: { text: numbered } });
    const change = call(2, edits('a.ts', 'first(a)', 'first(a, 1)'));
    const now = whole.replace('first(a)', 'first(a, 1)');
    assert.deepEqual(best(now, record('s', [read, change])).slice(0, 5), ['s:1?', 's:1?', 's:1?', 's:2', 's:1?']);
  });

  it('is the newest session with the current text, then older ones, then those whose line was edited', () => {
    const old = record('old', [call(1, writes('a.ts', whole))]);
    const next = whole.replace('second(a)', 'second(a, a)');
    const fresh = record('new', [
      call(5, reads('a.ts'), { result: { text: whole } }),
      call(6, edits('a.ts', 'second(a)', 'second(a, a)')),
    ]);
    const claims = lineClaims(next.split('\n'), [fresh, old])[7];
    assert.deepEqual(
      claims?.map(({ session, entryIndex, isEditedSince }) => [session, entryIndex, isEditedSince]),
      [
        ['new', 6, false],
        ['old', 1, true],
      ],
    );
    // Put back by hand: the older session wrote exactly this.
    assert.equal(best(whole, fresh, old)[7], 'old:1');
  });

  it("is found without the file's text: by a numbered patch, or by inserted text", () => {
    const hunk = '@@ -3,2 +3,3 @@\n function one() {\n+  check(a, "first");\n   return first(a);';
    const now = whole.replace('{\n  return first', '{\n  check(a, "first");\n  return first');
    assert.deepEqual(best(now, record('s', [patch(4, hunk)])).slice(2, 6), ['', 's:4', '', '']);
    const below = `// by hand\n${now}`;
    assert.equal(best(below, record('s', [patch(4, hunk)]))[4], 's:4');
    const unnumbered = hunk.replace(/^@@.*@@/, '@@');
    assert.equal(best(below, record('s', [patch(4, unnumbered)]))[4], 's:4');
    const edit = record('s', [call(9, edits('a.ts', 'return first(a);', 'check(a, "first");\n  return first(a);'))]);
    assert.deepEqual(best(below, edit).slice(3, 6), ['', 's:9', 's:9']);
  });

  it('is omitted if several places match', () => {
    const edit = record('s', [call(9, edits('a.ts', 'x', 'return again;'))]);
    assert.deepEqual(best('return again;\nreturn again;', edit), ['', '']);
    assert.deepEqual(best('}\n', record('s', [call(9, edits('a.ts', 'x', '}'))])), ['', '']);
  });

  it("survives a gap in the file's history, and a later read of the whole file", () => {
    const lost = [call(1, writes('a.ts', whole)), call(2, edits('a.ts', 'not there', 'whatever(it, is)'))];
    assert.deepEqual(best(whole, record('s', lost)).slice(0, 5), ['s:1', 's:1', 's:1', 's:1', 's:1']);
    const edit = call(4, edits('a.ts', 'x', 'return first(a);'));
    const again = [edit, call(5, reads('a.ts'), { result: { text: whole } })];
    assert.deepEqual(best(whole, record('s', again)).slice(2, 5), ['s:5?', 's:4', 's:5?']);
  });

  it('groups lines that one step wrote', () => {
    const file = record('s', [call(3, writes('a.ts', whole))]);
    const now = whole.replace('\n\nfunction two', '\n\n/* by hand, and long enough */\nfunction two');
    assert.deepEqual(
      claimedRanges(lineClaims(now.split('\n'), [file])).map(({ first, last }) => [first, last]),
      [
        [0, 5],
        [7, 9],
      ],
    );
  });

  it('works for a long file, and each of its edited lines', () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => `  call(${at % 97}, value${at});`);
    const now = lines.map((line, at) => (at % 50 === 0 ? `${line} // edited` : line));
    const claims = lineClaims(now, [record('s', [call(3, writes('a.ts', lines.join('\n')))])]);
    assert.equal(claims.filter(([claim]) => claim?.isEditedSince === true).length, 1000);
  });
});
