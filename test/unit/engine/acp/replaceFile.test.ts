import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, link, lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkspaceFiles } from '../../../../src/engine/acp/workspaceFiles.ts';
import { skip } from '../../../support/skip.ts';

const module = pathToFileURL(path.resolve('src/engine/acp/workspaceFiles.ts')).href;

/** Writes as an agent does, where no file can be larger than that. Returns what went wrong. */
function writeWithLimit(folder: string, file: string, size: number, limit: number): string {
  const script = `process.on('SIGXFSZ', () => undefined);
    const { WorkspaceFiles } = await import(${JSON.stringify(module)});
    const write = new WorkspaceFiles(${JSON.stringify(folder)}).write(${JSON.stringify(file)}, 'n'.repeat(${size}));
    await write.catch((error) => console.log(error.message));`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  return execFileSync('prlimit', [`--fsize=${limit}`, ...node], { encoding: 'utf8' });
}

describe('a file that an agent writes', () => {
  let folder: string;
  let file: string;
  let files: WorkspaceFiles;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vitrine-write-'));
    file = path.join(folder, 'a.txt');
    files = new WorkspaceFiles(folder);
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [name, links] of [
    ['one name', 0],
    ['two names', 1],
  ] as const) {
    for (const [old, size] of [
      [60_000, 200_000],
      [60_000, 100_001],
      [0, 200_000],
      [99_999, 150_000],
    ] as const) {
      it(`with ${name} stays as it is where ${size} bytes do not fit in place of ${old}`, async function () {
        if (!existsSync('/usr/bin/prlimit')) skip(this, 'there is no prlimit to make a small disk with');
        await writeFile(file, 'o'.repeat(old));
        if (links > 0) await link(file, path.join(folder, 'b.txt'));
        assert.match(writeWithLimit(folder, file, size, 100_000), /EFBIG/);
        assert.equal(await readFile(file, 'utf8'), 'o'.repeat(old));
        assert.equal((await readdir(folder)).length, 1 + links);
      });
    }

    it(`with ${name} is replaced by a shorter, a longer and an empty one, with its permissions`, async () => {
      await writeFile(file, 'old text');
      await chmod(file, 0o751);
      if (links > 0) await link(file, path.join(folder, 'b.txt'));
      for (const text of ['new', 'a much longer text', '']) {
        await files.write(file, text);
        assert.equal(await readFile(file, 'utf8'), text);
        if (links > 0) assert.equal(await readFile(path.join(folder, 'b.txt'), 'utf8'), text);
        if (process.platform !== 'win32') assert.equal((await lstat(file)).mode & 0o777, 0o751);
      }
      assert.equal((await readdir(folder)).length, 1 + links);
    });
  }

  it('is written through a link, which stays a link', async () => {
    const named = path.join(folder, 'link');
    await writeFile(file, 'old');
    await symlink('a.txt', named);
    await files.write(named, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
    assert.ok((await lstat(named)).isSymbolicLink());
  });

  it('is created with default permissions', async () => {
    await writeFile(path.join(folder, 'other'), '');
    await files.write(file, 'new');
    assert.equal((await lstat(file)).mode, (await lstat(path.join(folder, 'other'))).mode);
  });

  it('keeps its owner', async function () {
    if (process.getuid?.() !== 0) skip(this, 'only root gives files away');
    await writeFile(file, 'old');
    await chown(file, 1234, 2345);
    await files.write(file, 'new');
    const { uid, gid } = await lstat(file);
    assert.deepEqual([uid, gid, await readFile(file, 'utf8')], [1234, 2345, 'new']);
  });

  it('stays unchanged if it is not writable, even in a writable folder', async function () {
    if (process.getuid?.() === 0) skip(this, 'permissions do not bind this user');
    await writeFile(file, 'old');
    await chmod(file, 0o444);
    await assert.rejects(files.write(file, 'new'), /cannot be written/);
    assert.equal(await readFile(file, 'utf8'), 'old');
  });
});
