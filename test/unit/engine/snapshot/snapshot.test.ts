import assert from 'node:assert/strict';
import { realpathSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unreportedNote } from '../../../../src/engine/snapshot/note.ts';
import { defaultLimits } from '../../../../src/engine/snapshot/snapshot.ts';
import { call, edits, writes } from '../../../support/sessions/madeEntries.ts';
import { WatchedFolder } from '../../../support/watchedFolder.ts';

describe('unreported changes', () => {
  let place: WatchedFolder;
  beforeEach(() => (place = new WatchedFolder()));
  afterEach(() => place.close());

  for (const kind of ['git', 'no git'] as const) {
    describe(kind === 'git' ? 'in a git repository' : 'in a plain folder', () => {
      beforeEach(() => {
        place.repository();
        if (kind === 'no git') rmSync(path.join(place.folder, '.git'), { recursive: true });
      });

      it('include a file that a command changed', async () => {
        const found = await place.run(
          [call(1, { kind: 'command_run', command: 'sed -i s/one/eins/ src/a.ts' })],
          () => {
            place.write('src/a.ts', 'eins\ntwo\n');
            place.write('new.ts', 'x');
            rmSync(path.join(place.folder, 'src/b.ts'));
          },
        );
        assert.deepEqual(
          found,
          ['added new.ts', 'deleted src/b.ts', 'changed src/a.ts'].sort((a, b) =>
            a.split(' ')[1]! < b.split(' ')[1]! ? -1 : 1,
          ),
        );
      });

      it('are empty if nothing else changed', async () => {
        const found = await place.run(
          [
            call(1, edits(path.join(place.folder, 'src/a.ts'), 'one', 'eins')),
            call(2, writes('sub/new.ts', 'n\n')),
            call(3, { kind: 'file_edit', changes: [{ path: 'src/b.ts', kind: 'delete' }] }),
          ],
          () => {
            place.write('src/a.ts', 'eins\ntwo\n');
            place.write('sub/new.ts', 'n\n');
            rmSync(path.join(place.folder, 'src/b.ts'));
          },
        );
        assert.deepEqual(found, []);
      });

      it('are empty if files were only touched', async () => {
        const found = await place.run([], () => {
          utimesSync(path.join(place.folder, 'src/a.ts'), new Date(), new Date(Date.now() + 5000));
          place.write('src/b.ts', 'b\n');
          renameSync(path.join(place.folder, 'with space'), path.join(place.folder, 'x'));
          renameSync(path.join(place.folder, 'x'), path.join(place.folder, 'with space'));
        });
        assert.deepEqual(found, []);
      });

      it("include a formatter's changes after a reported edit", async () => {
        const entry = call(1, edits('src/a.ts', 'one', 'eins'));
        assert.deepEqual(await place.run([entry], () => place.write('src/a.ts', 'eins;\ntwo;\n')), [
          'changed src/a.ts besides',
        ]);
        const written = call(1, writes('src/a.ts', 'a\r\nb'));
        assert.deepEqual(
          await place.run([written], () => place.write('src/a.ts', 'a\nb\n')),
          [],
          'line ends are no news',
        );
      });

      it('exclude files whose reported edits are inexact', async () => {
        const vague = call(1, { kind: 'file_edit', changes: [{ path: 'src/a.ts', kind: 'update' }] });
        assert.deepEqual(await place.run([vague], () => place.write('src/a.ts', 'anything\n')), []);
      });

      it('include a file that was renamed before its reported edit', async () => {
        const rename = (): void => {
          renameSync(path.join(place.folder, 'src/a.ts'), path.join(place.folder, 'src/z.ts'));
          place.write('src/z.ts', 'eins\ntwo\n');
        };
        const renamed = await place.run([call(1, edits('src/z.ts', 'one', 'eins'))], rename);
        assert.deepEqual(renamed, ['deleted src/a.ts', 'added src/z.ts besides']);
        const created = await place.run([call(1, edits('src/n.ts', '', 'new\n'))], () =>
          place.write('src/n.ts', 'new\n'),
        );
        assert.deepEqual(created, []);
      });

      it('include a file whose reported edit was denied', async () => {
        const denied = call(1, edits('src/a.ts', 'one', 'eins'), { status: 'denied' });
        assert.deepEqual(await place.run([denied], () => place.write('src/a.ts', 'eins\ntwo\n')), ['changed src/a.ts']);
      });

      it('resolve links to folders', async () => {
        const link = path.join(place.root, 'link');
        symlinkSync(place.folder, link);
        const real = path.join(realpathSync(place.folder), 'src/a.ts');
        const found = await place.run(
          [call(1, edits(real, 'one', 'eins'))],
          () => place.write('src/a.ts', 'eins\ntwo\n'),
          { folder: link },
        );
        assert.deepEqual(found, []);
      });

      it('resolve other names of a file', async () => {
        symlinkSync('src/a.ts', path.join(place.folder, 'A.md'));
        symlinkSync('src', path.join(place.folder, 'link'));
        const eins = () => place.write('src/a.ts', 'eins\ntwo\n');
        const names = ['A.md', 'link/a.ts', path.join(place.folder, 'link/a.ts'), 'with space/../src/a.ts'];
        const absolute = `${place.folder}/lib/../src/./a.ts`;
        for (const name of [...names, absolute]) {
          place.write('src/a.ts', 'one\ntwo\n');
          assert.deepEqual(await place.run([call(1, edits(name, 'one', 'eins'))], eins), [], name);
          place.write('src/a.ts', 'one\n2\n');
          const besides = await place.run([call(1, edits(name, 'one', 'eins'))], eins);
          assert.deepEqual(besides, ['changed src/a.ts besides'], name);
        }
        place.write('src/a.ts', 'one\n2\n');
        const both = [call(1, edits('link/a.ts', 'one', 'eins')), call(2, edits('src/a.ts', '2', 'two'))];
        assert.deepEqual(await place.run(both, eins), []);
        const gone = call(1, { kind: 'file_edit', changes: [{ path: 'link/b.ts', kind: 'delete' }] });
        assert.deepEqual(await place.run([gone], () => rmSync(path.join(place.folder, 'src/b.ts'))), []);
      });

      it('exclude text in other encodings', async () => {
        const file = path.join(place.folder, 'a.rc');
        writeFileSync(file, '\uFEFFone\n', 'utf16le');
        if (kind === 'git') {
          place.git('add', '-A');
          place.git('commit', '-qm', 'wide');
        }
        const wide = () => writeFileSync(file, '\uFEFFeins\n', 'utf16le');
        assert.deepEqual(await place.run([call(1, edits('a.rc', 'one', 'eins'))], wide), []);
        assert.deepEqual(await place.run([call(1, writes('a.rc', 'eins\n'))], () => place.write('a.rc', 'eins\n')), []);
      });

      it('report a failed check, and never fail the run', async () => {
        const small = { limits: { ...defaultLimits, files: 2 } };
        const many = () => {
          for (let at = 0; at < 5; at += 1) place.write(`many/${at}.ts`, 'x');
        };
        assert.match((await place.run([], many, small))[0] ?? '', /too many files|Too many files/);
        assert.match((await place.run([], many, { limits: { ...defaultLimits, timeMs: 0 } }))[0] ?? '', /too long/);
      });
    });
  }

  it('detect a touched large file, and compare larger ones by size and time', async () => {
    place.write('large', 'x'.repeat(9 << 20));
    truncateSync(path.join(place.folder, 'large'), 10 << 20);
    place.write('larger', '');
    truncateSync(path.join(place.folder, 'larger'), 90 << 20);
    for (const repository of [false, true]) {
      if (repository) place.git('init', '-q');
      const touch = (file: string) =>
        utimesSync(path.join(place.folder, file), new Date(), new Date(Date.now() + 9000));
      assert.deepEqual(await place.run([], () => touch('large')), []);
      const change = () => writeFileSync(path.join(place.folder, 'large'), `y${'x'.repeat((9 << 20) - 1)}`);
      assert.deepEqual(await place.run([], change), ['changed large']);
      const edit = call(1, edits('larger', 'x', 'y'));
      assert.deepEqual(await place.run([edit], () => truncateSync(path.join(place.folder, 'larger'), 92 << 20)), []);
      assert.deepEqual(await place.run([], () => truncateSync(path.join(place.folder, 'larger'), 91 << 20)), [
        'changed larger',
      ]);
      place.write('large', 'x'.repeat(9 << 20));
      truncateSync(path.join(place.folder, 'larger'), 90 << 20);
    }
  });

  it('exclude changes that a concurrent run reports, even in a subfolder', async () => {
    place.write('sub/old.ts', '');
    const sub = { folder: path.join(place.folder, 'sub') };
    const [watch, other, below] = [place.watch(), place.watch(), place.watch(sub)];
    for (const folderWatch of [watch, other, below]) await folderWatch.begin();
    place.write('a.ts', 'a');
    place.write('sub/b.ts', 'b');
    place.write('c.ts', 'c');
    other.apply([{ op: 'put', entry: call(1, writes('a.ts', 'a')) }]);
    below.apply([{ op: 'put', entry: call(1, writes('b.ts', 'b')) }]);
    for (const folderWatch of [other, below]) folderWatch.leave();
    const found = await watch.end();
    assert.ok(typeof found === 'object');
    assert.deepEqual(found.changes, [{ path: 'c.ts', kind: 'added' }]);
  });

  it('appear in the transcript, as does a failed check', () => {
    const checked = (total: number) => ({
      how: 'git' as const,
      changes: [{ path: 'a.ts', kind: 'added' as const }],
      total,
    });
    assert.match(unreportedNote(checked(1))?.content ?? '', /^A file changed .*\n\n- `a\.ts` added$/);
    assert.equal(unreportedNote({ ...checked(0), changes: [] }), null);
    const note = unreportedNote('It took too long.');
    assert.match(note?.content ?? '', /^Could not check .* It took too long\.$/);
    assert.equal(note?.metadata, undefined);
  });
});
