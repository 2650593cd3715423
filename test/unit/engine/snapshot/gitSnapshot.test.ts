import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, edits, writes } from '../../../support/sessions/madeEntries.ts';
import { skip } from '../../../support/skip.ts';
import { WatchedFolder } from '../../../support/watchedFolder.ts';

describe('unreported changes in a git repository', () => {
  let place: WatchedFolder;
  beforeEach(() => (place = new WatchedFolder()));
  afterEach(() => place.close());

  it('are relative to the previous state, not to the last commit', async () => {
    place.repository();
    place.write('src/a.ts', 'mine\n');
    place.write('untracked.ts', 'mine\n');
    assert.deepEqual(await place.run([], () => undefined), []);
    assert.deepEqual(await place.run([], () => place.write('untracked.ts', 'other\n')), ['changed untracked.ts']);
    assert.deepEqual(await place.run([], () => place.git('checkout', '-q', 'src/a.ts')), ['changed src/a.ts']);
  });

  it('are independent of git commands during the run', async () => {
    place.repository();
    place.write('src/a.ts', 'mine\n');
    place.write('untracked.ts', 'mine\n');
    const quiet = await place.run([], () => {
      place.git('add', '-A');
      place.git('commit', '-qm', 'second');
    });
    assert.deepEqual(quiet, []);
    assert.deepEqual(await place.run([], () => place.git('reset', '-q', 'HEAD~1')), []);
    assert.deepEqual(await place.run([], () => place.write('.gitignore', '')), ['changed .gitignore']);
  });

  it('include files of a checkout, with its commits', async () => {
    place.repository();
    place.git('checkout', '-q', '-b', 'other');
    place.write('src/a.ts', 'other\n');
    place.git('commit', '-qam', 'other');
    const watch = place.watch();
    await watch.begin();
    place.git('checkout', '-q', 'main');
    const found = await watch.end();
    assert.ok(typeof found !== 'string');
    assert.deepEqual(found.changes, [{ path: 'src/a.ts', kind: 'changed' }]);
    assert.match(found.head?.before ?? '', /^[0-9a-f]{40}$/);
    assert.notEqual(found.head?.before, found.head?.after);
  });

  it('exclude ignored files, and files that are no longer ignored', async () => {
    place.repository();
    place.write('ignored/x.ts', 'x');
    const old = new Date(Date.now() - 60_000);
    utimesSync(path.join(place.folder, 'ignored/x.ts'), old, old);
    assert.deepEqual(await place.run([], () => place.write('ignored/y.ts', 'y')), []);
    assert.deepEqual(await place.run([], () => place.write('a.log', 'y')), []);
  });

  it('are found below the top folder, before the first commit, and with any file name', async () => {
    place.repository();
    const found = await place.run(
      [call(1, writes('a.ts', 'x'))],
      () => {
        place.write('src/a.ts', 'x');
        place.write('src/ü "b" c.ts', 'x');
        place.write('outside.ts', 'x');
      },
      { folder: path.join(place.folder, 'src') },
    );
    assert.deepEqual(found, ['added ü "b" c.ts']);
    const fresh = new WatchedFolder();
    fresh.git('init', '-q');
    assert.deepEqual(await fresh.run([], () => fresh.write('a.ts', 'x')), ['added a.ts']);
    fresh.close();
  });

  it('leave the repository unchanged, byte for byte', async () => {
    place.repository();
    place.write('src/b.ts', 'stashed\n');
    place.git('stash', '-q');
    place.write('src/a.ts', 'staged\n');
    place.git('add', 'src/a.ts');
    place.write('src/a.ts', 'staged and more\n');
    place.write('untracked.ts', 'u\n');
    // Stat data that git would like to refresh.
    utimesSync(path.join(place.folder, 'src/b.ts'), new Date(), new Date(Date.now() - 100_000));
    const before = everything(path.join(place.folder, '.git'));
    const found = await place.run([], () => place.write('src/b.ts', 'changed\n'));
    assert.deepEqual(found, ['changed src/b.ts']);
    assert.deepEqual(everything(path.join(place.folder, '.git')), before);
    place.write('src/b.ts', 'b\n');
    assert.equal(place.git('status', '--porcelain'), 'MM src/a.ts\n?? untracked.ts\n');
    assert.match(place.git('stash', 'list'), /^stash@\{0\}/);
  });

  it('are found in a read-only repository', async function () {
    if (process.getuid?.() === 0) skip(this, 'root can write everything');
    place.repository();
    const folder = path.join(place.folder, '.git');
    chmodSync(folder, 0o500);
    assert.deepEqual(await place.run([], () => place.write('a.ts', 'x')), ['added a.ts']);
    chmodSync(folder, 0o700);
  });

  it('exclude a touched file of Git LFS', async () => {
    place.repository();
    const data = 'large\n'.repeat(100);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(data).digest('hex')}\nsize ${data.length}\n`;
    writeFileSync(path.join(place.root, 'pointer'), pointer);
    place.git('config', 'filter.lfs.clean', `cat > /dev/null; cat '${path.join(place.root, 'pointer')}'`);
    writeFileSync(path.join(place.folder, '.git/info/attributes'), '*.bin filter=lfs\n');
    place.write('big.bin', data);
    place.git('add', '-A');
    assert.equal(place.git('cat-file', 'blob', ':big.bin'), pointer);
    const touch = () => utimesSync(path.join(place.folder, 'big.bin'), new Date(), new Date(Date.now() + 9000));
    assert.deepEqual(await place.run([], touch), []);
    assert.deepEqual(await place.run([], () => place.write('big.bin', `${data}more`)), ['changed big.bin']);
  });

  it('are found without running programs of the repository', async () => {
    place.repository();
    const mark = path.join(place.root, 'ran');
    const program = path.join(place.root, 'program.sh');
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    const touch = () => utimesSync(path.join(place.folder, 'src/b.ts'), new Date(), new Date(Date.now() - 100_000));
    const filter = (name: string) => {
      place.git('config', `filter.${name}.clean`, program);
      place.git('config', `filter.${name}.required`, 'true');
      writeFileSync(path.join(place.folder, '.git/info/attributes'), `*.ts filter=${name}\n`);
      touch();
    };
    place.git('config', 'core.fsmonitor', program);
    filter('lfs');
    mkdirSync(path.join(place.folder, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman']) {
      writeFileSync(path.join(place.folder, '.git/hooks', hook), readFileSync(program), { mode: 0o755 });
    }
    assert.deepEqual(await place.run([], () => place.write('a.ts', 'x')), ['added a.ts']);
    filter('a.b');
    assert.deepEqual(await place.run([], touch), []);
    // Added by the run itself.
    assert.deepEqual(await place.run([], () => filter('later')), []);
    const odd = path.join(place.folder, '.git/config');
    writeFileSync(odd, `${readFileSync(odd, 'utf8')}[filter "a=b"]\nclean = ${program}\n`);
    writeFileSync(path.join(place.folder, '.git/info/attributes'), '*.ts filter=a=b\n');
    assert.deepEqual(await place.run([], touch), []);
    // A version that does not know the variables for settings.
    const old = path.join(place.root, 'old');
    mkdirSync(old);
    const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    writeFileSync(path.join(old, 'git'), `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec '${git}' "$@"\n`, { mode: 0o755 });
    const environment = { ...place.environment, PATH: `${old}:${place.environment.PATH ?? ''}` };
    assert.deepEqual(await place.run([], touch, { environment }), ['This version of git cannot disable its filters.']);
    assert.equal(statSync(mark, { throwIfNoEntry: false }), undefined);
  });

  it('respect filters, and exclude touched files', async () => {
    place.repository();
    place.git('config', 'filter.upper.clean', 'tr a-z A-Z');
    place.write('.gitattributes', '*.txt filter=upper\n');
    place.write('a.txt', 'one\n');
    place.git('add', '-A');
    assert.equal(place.git('cat-file', 'blob', ':a.txt'), 'ONE\n');
    const touch = () => utimesSync(path.join(place.folder, 'a.txt'), new Date(), new Date(Date.now() + 9000));
    assert.deepEqual(await place.run([], touch), []);
    assert.deepEqual(await place.run([call(1, edits('a.txt', 'one', 'two'))], () => place.write('a.txt', 'two\n')), []);
    assert.deepEqual(await place.run([], () => place.write('a.txt', 'three\n')), ['changed a.txt']);
  });

  it('include other files if one with reported edits is too large', async () => {
    place.repository();
    place.write('large.txt', 'x\n'.repeat(3 << 20));
    place.git('add', '-A');
    const entries = [call(1, writes('large.txt', 'y')), call(2, edits('src/a.ts', 'one', 'eins'))];
    const found = await place.run(entries, () => {
      place.write('large.txt', 'x');
      place.write('src/a.ts', 'zwei\ntwo\n');
      place.write('src/b.ts', 'c\n');
    });
    assert.deepEqual(found, ['changed src/a.ts besides', 'changed src/b.ts']);
  });

  it('are found for many files at once', async () => {
    place.repository();
    const files = Array.from({ length: 400 }, (_, at) => `many/${'x'.repeat(100)}${at}.ts`);
    for (const file of files) place.write(file, 'x\n');
    place.git('add', '-A');
    place.git('commit', '-qm', 'many');
    for (const file of files) place.write(file, 'y\n');
    place.git('commit', '-qam', 'other');
    assert.deepEqual(await place.run([], () => place.git('reset', '-q', 'HEAD~1')), []);
    const formatted = await place.run([], () => files.forEach((file) => place.write(file, 'z;\n')));
    assert.equal(formatted.length, files.length);
  });

  it('include nested repositories', async () => {
    place.repository();
    const other = new WatchedFolder().repository();
    place.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.folder, 'sub');
    place.git('commit', '-qm', 'sub');
    place.git('clone', '-q', other.folder, 'nested');
    const inside = (folder: string, ...args: string[]) => place.git('-C', folder, ...args);
    const found = await place.run([call(1, edits('nested/src/a.ts', 'one', 'eins'))], () => {
      place.write('sub/src/a.ts', 'eins\n');
      place.write('nested/src/a.ts', 'eins\ntwo\n');
      place.write('nested/src/b.ts', 'c\n');
    });
    assert.deepEqual(found, ['changed nested/src/b.ts', 'changed sub/src/a.ts']);
    assert.deepEqual(await place.run([], () => inside('sub', 'commit', '-qam', 'inside')), []);
    assert.deepEqual(await place.run([], () => inside('sub', 'checkout', '-q', 'HEAD~1')), ['changed sub/src/a.ts']);
    assert.deepEqual(await place.run([], () => place.git('clone', '-q', other.folder, 'later')), ['added later/']);
    const gone = () => rmSync(path.join(place.folder, 'sub'), { recursive: true });
    assert.deepEqual(await place.run([], gone), ['deleted sub/']);
    other.close();
  });
});

/** Every file with its bytes and time of change. */
function everything(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = statSync(path.join(folder, name));
    files[name] = stats.isFile()
      ? `${stats.mtimeMs} ${readFileSync(path.join(folder, name)).toString('base64')}`
      : `folder ${stats.mtimeMs}`;
  }
  return files;
}
