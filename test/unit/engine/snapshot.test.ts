import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultLimits } from '../../../src/engine/snapshot/snapshot.ts';
import { FolderWatch } from '../../../src/engine/snapshot/watch.ts';
import type { NormalizedEntry } from '../../../src/model/entry.ts';
import { unreportedChangesSchema } from '../../../src/model/unreported.ts';
import { call, edits, writes } from '../../support/madeEntries.ts';
import { skip } from '../../support/skip.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A folder of its own, in git or not. */
class Place {
  readonly root = mkdtempSync(path.join(tmpdir(), 'vitrine-watch-'));
  readonly folder = path.join(this.root, 'work');
  readonly environment = {
    PATH: process.env['PATH'],
    HOME: this.root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };

  constructor() {
    mkdirSync(this.folder);
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      env: this.environment,
      encoding: 'utf8',
    });
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), text);
  }

  repository(): this {
    this.git('init', '-q', '-b', 'main');
    this.write('.gitignore', 'ignored/\n*.log\n');
    this.write('src/a.ts', 'one\ntwo\n');
    this.write('src/b.ts', 'b\n');
    this.write('with space/ü.ts', 'x\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
    return this;
  }

  watch(change: object = {}): FolderWatch {
    return new FolderWatch({ folder: this.folder, environment: this.environment, log, ...change });
  }

  /** What a run changed that reported `entries` and did `work`. */
  async run(entries: readonly NormalizedEntry[], work: () => void, change: object = {}): Promise<string[]> {
    const watch = this.watch(change);
    await watch.begin();
    work();
    watch.see(entries.map((entry) => ({ op: 'put', entry })));
    const found = await watch.end();
    if (typeof found === 'string') return [found];
    unreportedChangesSchema.parse(found);
    return found.changes.map(({ kind, path: file, besides }) => `${kind} ${file}${besides === true ? ' besides' : ''}`);
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

describe('what no tool call reported', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.close());

  for (const kind of ['git', 'no git'] as const) {
    describe(kind === 'git' ? 'in a git repository' : 'in a plain folder', () => {
      beforeEach(() => {
        place.repository();
        if (kind === 'no git') rmSync(path.join(place.folder, '.git'), { recursive: true });
      });

      it('is a file that a command changed behind the tools', async () => {
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

      it('is nothing where nothing else changed', async () => {
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

      it('is nothing where files were only touched', async () => {
        const found = await place.run([], () => {
          utimesSync(path.join(place.folder, 'src/a.ts'), new Date(), new Date(Date.now() + 5000));
          place.write('src/b.ts', 'b\n');
          renameSync(path.join(place.folder, 'with space'), path.join(place.folder, 'x'));
          renameSync(path.join(place.folder, 'x'), path.join(place.folder, 'with space'));
        });
        assert.deepEqual(found, []);
      });

      it('is what a formatter made of a reported edit', async () => {
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

      it('is no alarm where reported edits do not say what they come to', async () => {
        const vague = call(1, { kind: 'file_edit', changes: [{ path: 'src/a.ts', kind: 'update' }] });
        assert.deepEqual(await place.run([vague], () => place.write('src/a.ts', 'anything\n')), []);
      });

      it('is what changed although the reported edit was denied', async () => {
        const denied = call(1, edits('src/a.ts', 'one', 'eins'), { status: 'denied' });
        assert.deepEqual(await place.run([denied], () => place.write('src/a.ts', 'eins\ntwo\n')), ['changed src/a.ts']);
      });

      it('takes a folder behind a link for the same', async () => {
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

      it('says that it could not be checked, and never fails', async () => {
        const small = { limits: { ...defaultLimits, files: 2 } };
        const many = () => {
          for (let at = 0; at < 5; at += 1) place.write(`many/${at}.ts`, 'x');
        };
        assert.match((await place.run([], many, small))[0] ?? '', /too many files|Too many files/);
        assert.match((await place.run([], many, { limits: { ...defaultLimits, timeMs: 0 } }))[0] ?? '', /too long/);
      });
    });
  }

  it('is told against what was there, not against the last commit', async () => {
    place.repository();
    place.write('src/a.ts', 'mine\n');
    place.write('untracked.ts', 'mine\n');
    assert.deepEqual(await place.run([], () => undefined), []);
    assert.deepEqual(await place.run([], () => place.write('untracked.ts', 'other\n')), ['changed untracked.ts']);
    assert.deepEqual(await place.run([], () => place.git('checkout', '-q', 'src/a.ts')), ['changed src/a.ts']);
  });

  it('is not what git was told meanwhile', async () => {
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

  it('is what a checkout brought, with the commits', async () => {
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

  it('leaves ignored files alone, and files that are ignored no longer', async () => {
    place.repository();
    place.write('ignored/x.ts', 'x');
    const old = new Date(Date.now() - 60_000);
    utimesSync(path.join(place.folder, 'ignored/x.ts'), old, old);
    assert.deepEqual(await place.run([], () => place.write('ignored/y.ts', 'y')), []);
    assert.deepEqual(await place.run([], () => place.write('a.log', 'y')), []);
  });

  it('works below the top of a repository, before the first commit, and in names of any kind', async () => {
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
    const fresh = new Place();
    fresh.git('init', '-q');
    assert.deepEqual(await fresh.run([], () => fresh.write('a.ts', 'x')), ['added a.ts']);
    fresh.close();
  });

  it('leaves the repository as it is, byte for byte', async () => {
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

  it('works where the repository cannot be written', async function () {
    if (process.getuid?.() === 0) skip(this, 'root can write everything');
    place.repository();
    const folder = path.join(place.folder, '.git');
    chmodSync(folder, 0o500);
    assert.deepEqual(await place.run([], () => place.write('a.ts', 'x')), ['added a.ts']);
    chmodSync(folder, 0o700);
  });

  it('takes a file of Git LFS that was only touched for what it is', async () => {
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

  it('never runs a program that the repository names', async () => {
    place.repository();
    const mark = path.join(place.root, 'ran');
    const program = path.join(place.root, 'program.sh');
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    place.git('config', 'core.fsmonitor', program);
    place.git('config', 'filter.lfs.clean', program);
    place.git('config', 'filter.lfs.required', 'true');
    writeFileSync(path.join(place.folder, '.git/info/attributes'), '*.ts filter=lfs\n');
    utimesSync(path.join(place.folder, 'src/b.ts'), new Date(), new Date(Date.now() - 100_000));
    mkdirSync(path.join(place.folder, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman']) {
      writeFileSync(path.join(place.folder, '.git/hooks', hook), readFileSync(program), { mode: 0o755 });
    }
    assert.deepEqual(await place.run([], () => place.write('a.ts', 'x')), ['added a.ts']);
    assert.equal(statSync(mark, { throwIfNoEntry: false }), undefined);
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
