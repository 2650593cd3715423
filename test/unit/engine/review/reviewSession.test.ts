import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changeFile, changeMode, undoChange } from '../../../../src/engine/review/changeFile.ts';
import { hashOf } from '../../../../src/engine/review/currentFile.ts';
import { type ReviewedFile, type ReviewRange, SessionReview } from '../../../../src/engine/review/reviewSession.ts';
import { unreported } from '../../../../src/insight/review/lineTrail.ts';
import { revertHunk } from '../../../../src/insight/review/reviewFile.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, edits, reads, said, unreportedNote, writes } from '../../../support/sessions/madeEntries.ts';

describe('a review of a session', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'review-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = (name: string, text: string | Uint8Array) => writeFile(path.join(folder, name), text);
  const bytes = (name: string) => readFile(path.join(folder, name));

  async function review(entries: readonly NormalizedEntry[], range?: ReviewRange): Promise<SessionReview> {
    const session = new SessionReview(folder, range);
    const read = (from: number, to: number) =>
      Promise.resolve(entries.filter(({ index }) => from <= index && index < to));
    await session.take({ entryCount: () => entries.length, read }, (entries.at(-1)?.index ?? -1) + 1);
    return session;
  }
  async function filesOf(entries: readonly NormalizedEntry[], range?: ReviewRange): Promise<readonly ReviewedFile[]> {
    return (await (await review(entries, range)).review()).files;
  }
  const whole = (index: number, name: string, text: string): NormalizedEntry =>
    call(index, reads(name, { startLine: 1, totalLines: text.split('\n').length }), { result: { text } });

  it('names steps and prompts, and keeps a key as long as the text', async () => {
    await put('a.txt', 'one\nTWO\nthree\nFOUR\n');
    const entries = [
      said(0, 'Shout, please.', 'user_message'),
      whole(1, 'a.txt', 'one\ntwo\nthree\nfour\n'),
      call(2, edits('a.txt', 'two', 'TWO'), { toolName: 'Edit' }),
      said(3, 'More.', 'user_message'),
      call(4, edits('a.txt', 'four', 'FOUR')),
    ];
    const opened = await review(entries);
    const [file] = (await opened.review()).files;
    assert.deepEqual(
      file?.hunks.map(({ by }) => by),
      [[2], [4]],
    );
    assert.deepEqual(opened.step(2), { number: '2', tool: 'Edit', prompt: 'Shout, please.', promptIndex: 0 });
    await put('a.txt', 'zero\none\nTWO\nthree\nfour!\n');
    const [later] = (await opened.review()).files;
    assert.equal(later?.hunks[1]?.key, file.hunks[0]?.key);
    assert.deepEqual(
      later?.hunks.map(({ by }) => by),
      [[unreported], [2], [4, unreported]],
    );
    assert.deepEqual(
      (await filesOf(entries, { since: 3 }))[0]?.hunks.map(({ by }) => by),
      [[unreported], [4, unreported]],
    );
    const [turn] = await filesOf(entries, { since: 0, until: 3 });
    assert.deepEqual(
      turn?.hunks.map(({ by }) => by),
      [[2]],
    );
  });

  it('reverts one change including permissions, and undoes that', async () => {
    const text = '\uFEFFone\r\nTWO\r\nthree';
    await put('a.txt', text);
    await chmod(path.join(folder, 'a.txt'), 0o755);
    const [file] = await filesOf([whole(1, 'a.txt', 'one\ntwo\nthree'), call(2, edits('a.txt', 'two', 'TWO'))]);
    assert.ok(file?.review !== undefined && file.place !== undefined && file.hash !== undefined);
    const reverted = revertHunk(file.review, file.hunks[0]!);
    assert.deepEqual(reverted, { text: '\uFEFFone\r\ntwo\r\nthree' });
    assert.equal(await changeFile(file.place, hashOf('something else'), 'x'), undefined);
    assert.equal((await bytes('a.txt')).toString(), text);
    const undo = await changeFile(file.place, file.hash, reverted.text);
    assert.ok(undo !== undefined);
    assert.equal((await bytes('a.txt')).toString(), '\uFEFFone\r\ntwo\r\nthree');
    await put('a.txt', 'changed since');
    assert.equal(await undoChange(undo), false);
    await put('a.txt', '\uFEFFone\r\ntwo\r\nthree');
    assert.equal(await undoChange(undo), true);
    assert.deepEqual(await bytes('a.txt'), Buffer.from(text));
    if (process.platform !== 'win32') assert.equal((await stat(file.place)).mode & 0o777, 0o755);
  });

  it('shows a change of permissions as a change of its own, which is reverted and undone alone', async function () {
    // Windows has none.
    if (process.platform === 'win32') this.skip();
    await put('run.sh', 'one\nTWO\n');
    await put('tool', Uint8Array.of(0, 1, 2));
    await put('untouched.sh', 'x\n');
    for (const name of ['run.sh', 'tool']) await chmod(path.join(folder, name), 0o755);
    const mode = { executable: true, only: true };
    const entries = [
      whole(1, 'run.sh', 'one\ntwo\n'),
      call(2, edits('run.sh', 'two', 'TWO')),
      unreportedNote(3, [
        { path: 'run.sh', kind: 'changed', besides: true, mode: { ...mode, only: false } },
        { path: 'tool', kind: 'changed', mode: mode },
        { path: 'untouched.sh', kind: 'changed', mode: mode },
      ]),
    ];
    const files = await filesOf(entries);
    assert.deepEqual(
      files.map(({ path: name, hunks }) => [name, hunks.map(({ by, executable }) => [by, executable])]),
      [
        [
          'run.sh',
          [
            [[2], undefined],
            [[unreported], true],
          ],
        ],
        ['tool', [[[unreported], true]]],
      ],
    );
    const undo = await changeMode(files[0]!.place!, false);
    assert.ok(undo !== undefined);
    assert.equal((await stat(files[0]!.place!)).mode & 0o777, 0o644);
    assert.equal((await bytes('run.sh')).toString(), 'one\nTWO\n');
    const [reverted] = await filesOf(entries);
    assert.deepEqual(
      reverted?.hunks.map(({ key }) => key),
      [files[0]!.hunks[0]!.key],
    );
    assert.equal(await changeMode(files[0]!.place!, false), undefined, 'it is not executable any more');
    assert.equal(await undoChange(undo), true);
    assert.equal((await stat(files[0]!.place!)).mode & 0o777, 0o755);
    await chmod(files[0]!.place!, 0o700);
    assert.equal(await undoChange(undo), false, 'its permissions changed since');
  });

  it('deletes what the session created, restores what it deleted, and undoes both', async () => {
    const add = { kind: 'file_edit' as const, changes: [{ path: 'new.txt', kind: 'add' as const, newText: 'new\n' }] };
    const remove = { kind: 'file_edit' as const, changes: [{ path: 'in/old.txt', kind: 'delete' as const }] };
    await put('new.txt', 'new\n');
    const files = await filesOf([call(1, add), whole(2, 'in/old.txt', 'old\n'), call(3, remove)]);
    assert.deepEqual(
      files.map(({ path: name, state }) => [name, state]),
      [
        ['in/old.txt', 'missing'],
        ['new.txt', 'text'],
      ],
    );
    const undos = [];
    for (const { place, hash, review: found, hunks } of files) {
      undos.push(await changeFile(place!, hash!, revertHunk(found!, hunks[0]!).text));
    }
    assert.equal((await bytes('in/old.txt')).toString(), 'old\n');
    await assert.rejects(bytes('new.txt'), { code: 'ENOENT' });
    for (const undo of undos) assert.equal(await undoChange(undo!), true);
    assert.equal((await bytes('new.txt')).toString(), 'new\n');
    await assert.rejects(bytes('in/old.txt'), { code: 'ENOENT' });
  });

  it('lists what it cannot compare, and reads nothing outside of the folder', async () => {
    await put('picture.txt', Uint8Array.of(0, 1, 2));
    await put('latin.txt', Uint8Array.of(0x61, 0xe9));
    await put('touched.txt', 'by a command\n');
    await put('made.txt', 'by a command\n');
    await mkdir(path.join(folder, 'folder.txt'));
    const names = ['picture.txt', 'latin.txt', 'folder.txt', '../outside.txt', 'link.txt'];
    await symlink(path.dirname(folder), path.join(folder, 'link.txt'));
    const note = unreportedNote(names.length, [
      { path: 'touched.txt', kind: 'changed' },
      { path: 'made.txt', kind: 'added' },
    ]);
    const files = await filesOf([...names.map((name, at) => call(at, writes(name, 'x\n'))), note]);
    const states = Object.fromEntries(files.map(({ path: name, state, hunks }) => [name, [state, hunks.length]]));
    assert.deepEqual(states, {
      '../outside.txt': ['outside', 0],
      'folder.txt': ['unreadable', 0],
      'latin.txt': ['binary', 0],
      'link.txt': ['outside', 0],
      'made.txt': ['text', 1],
      'picture.txt': ['binary', 0],
      'touched.txt': ['unrecorded', 0],
    });
    assert.deepEqual(files.find(({ path: name }) => name === 'made.txt')?.hunks[0]?.by, [unreported]);
  });

  it('follows a renamed file', async () => {
    const lines = Array.from({ length: 8 }, (_, at) => `line ${at}`);
    const text = `${lines.join('\n')}\n`;
    await put('b.txt', text.replace('line 3', 'line three'));
    const entries = [
      whole(1, 'a.txt', text),
      call(2, edits('a.txt', 'line 3', 'line three')),
      unreportedNote(3, [
        { path: 'a.txt', kind: 'deleted' },
        { path: 'b.txt', kind: 'added' },
      ]),
    ];
    const [file, ...others] = await filesOf(entries);
    assert.deepEqual(others, []);
    assert.deepEqual([file?.path, file?.renamedFrom], ['b.txt', 'a.txt']);
    assert.deepEqual(
      file?.hunks.map(({ by }) => by),
      [[2]],
    );
    assert.deepEqual(revertHunk(file.review!, file.hunks[0]!), { text });
  });

  it('joins two new names of a file, from two runs, with the steps under all of its names', async () => {
    const text = `${Array.from({ length: 8 }, (_, at) => `line ${at}`).join('\n')}\n`;
    await put('c.txt', text.replace('line 1', 'one').replace('line 4', 'four').replace('line 7', 'seven'));
    const moved = (index: number, from: string, to: string): NormalizedEntry =>
      unreportedNote(index, [
        { path: from, kind: 'deleted' },
        { path: to, kind: 'added' },
      ]);
    const [file, ...others] = await filesOf([
      whole(1, 'a.txt', text),
      call(2, edits('a.txt', 'line 1', 'one')),
      moved(3, 'a.txt', 'b.txt'),
      call(4, edits('b.txt', 'line 4', 'four')),
      moved(5, 'b.txt', 'c.txt'),
      call(6, edits('c.txt', 'line 7', 'seven')),
    ]);
    assert.deepEqual(others, []);
    assert.deepEqual([file?.path, file?.renamedFrom], ['c.txt', 'a.txt']);
    assert.deepEqual(
      file?.hunks.map(({ by }) => by),
      [[2], [4], [6]],
    );
    const { text: reverted } = revertHunk(file.review!, file.hunks[1]!);
    assert.equal(reverted, text.replace('line 1', 'one').replace('line 7', 'seven'));
  });

  it('joins two new names of a file that had the name between only for a while', async () => {
    const text = `${Array.from({ length: 8 }, (_, at) => `line ${at}`).join('\n')}\n`;
    await put('c.txt', text.replace('line 3', 'three'));
    const files = await filesOf([
      whole(1, 'a.txt', text),
      call(2, edits('a.txt', 'line 3', 'three')),
      unreportedNote(3, [
        { path: 'a.txt', kind: 'deleted' },
        { path: 'b.txt', kind: 'added' },
      ]),
      unreportedNote(4, [
        { path: 'b.txt', kind: 'deleted' },
        { path: 'c.txt', kind: 'added' },
      ]),
    ]);
    assert.deepEqual(
      files.map(({ path: name, renamedFrom, hunks }) => [name, renamedFrom, hunks.map(({ by }) => by)]),
      [['c.txt', 'a.txt', [[2]]]],
    );
  });
});
