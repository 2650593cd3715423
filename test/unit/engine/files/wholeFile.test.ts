import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { writeWhole } from '../../../../src/engine/files/writeFiles.ts';
import { skip } from '../../../support/skip.ts';

/** Modes, links and pipes as POSIX has them. */
const isPosix = process.platform !== 'win32';

describe('a file written atomically', () => {
  let folder = '';
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'vitrine-whole-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const place = (name: string): string => path.join(folder, name);
  const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

  it('is private to the user, and leaves no temporary file', async () => {
    await writeWhole(place('out'), ['new ', Buffer.from('text')]);
    assert.equal(await readFile(place('out'), 'utf8'), 'new text');
    if (isPosix) assert.equal(await modeOf(place('out')), 0o600);
    assert.deepEqual(await readdir(folder), ['out']);
  });

  it('keeps the permissions of the existing file', async () => {
    await writeFile(place('out'), 'old');
    await chmod(place('out'), 0o644);
    await writeWhole(place('out'), ['new']);
    assert.equal(await readFile(place('out'), 'utf8'), 'new');
    if (isPosix) assert.equal(await modeOf(place('out')), 0o644);
  });

  it('keeps the existing file if the new one is incomplete', async () => {
    await writeFile(place('out'), 'old');
    const chunks = function* (): Generator<string> {
      yield 'new';
      throw new Error('no more');
    };
    await assert.rejects(writeWhole(place('out'), chunks()), /^Error: no more$/);
    assert.equal(await readFile(place('out'), 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['out']);
  });

  it('leaves nothing behind when interrupted', async () => {
    await writeFile(place('out'), 'old');
    const aborted = new AbortController();
    aborted.abort();
    await assert.rejects(writeWhole(place('out'), ['new'], aborted.signal), { name: 'AbortError' });
    const later = new AbortController();
    const chunks = async function* (): AsyncGenerator<string> {
      yield 'new'.repeat(100_000);
      await setImmediate();
      later.abort();
      yield 'more';
      await setImmediate();
    };
    await assert.rejects(writeWhole(place('out'), chunks(), later.signal), { name: 'AbortError' });
    assert.equal(await readFile(place('out'), 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['out']);
  });

  it('ignores a link with the name of the temporary file', async function () {
    if (!isPosix) skip(this, 'links take a right of their own here');
    await writeFile(place('other'), 'of somebody');
    await symlink(place('other'), place('out.part'));
    await writeWhole(place('out'), ['new']);
    assert.equal(await readFile(place('other'), 'utf8'), 'of somebody');
    assert.ok((await lstat(place('out'))).isFile());
  });

  it('replaces the target of a link, which stays a link', async function () {
    if (!isPosix) skip(this, 'links take a right of their own here');
    await writeFile(place('file'), 'old');
    await symlink(place('file'), place('out'));
    await writeWhole(place('out'), ['new']);
    assert.ok((await lstat(place('out'))).isSymbolicLink());
    assert.equal(await readFile(place('file'), 'utf8'), 'new');
  });

  it('can be a pipe, which stays one', async function () {
    if (!isPosix) skip(this, 'this system has no named pipes in folders');
    execFileSync('mkfifo', [place('out')]);
    const read = text(createReadStream(place('out')));
    await writeWhole(place('out'), ['new']);
    assert.equal(await read, 'new');
    assert.ok((await lstat(place('out'))).isFIFO());
  });

  it('cannot be written to a path of a folder or a missing folder', async () => {
    const isUnwritable = (error: unknown): boolean => EngineFailure.is(error, 'file_unwritable');
    await assert.rejects(writeWhole(folder, ['new']), isUnwritable);
    await assert.rejects(writeWhole(place('none/out'), ['new']), isUnwritable);
  });
});
