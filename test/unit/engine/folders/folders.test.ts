import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identityOf, plainRemote } from '../../../../src/engine/folders/identity.ts';
import { movedSessions } from '../../../../src/engine/folders/moved.ts';
import { Bench, waitForResult } from '../../../support/fakeAgent/engine.ts';
import { aSummary } from '../../../support/sessions/records.ts';

describe('folders that are recognized', () => {
  let root = '';
  /** No two commands run at the same time. */
  let seconds = 0;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'vitrine-folders-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const at = (...names: string[]): string => path.join(root, ...names);
  const git = (cwd: string, ...args: string[]): void => {
    seconds += 1;
    const date = `${1_750_000_000 + seconds} +0000`;
    const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_COMMITTER_DATE: date };
    const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org'];
    execFileSync('git', [...who, ...args], { cwd, env, stdio: 'ignore' });
  };
  const repository = (name: string): string => {
    const folder = at(name);
    mkdirSync(path.join(folder, 'packages', 'a'), { recursive: true });
    git(folder, 'init', '-q');
    writeFileSync(path.join(folder, 'packages', 'a', 'file'), name);
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'First');
    return folder;
  };
  const ranIn = async (...folders: readonly string[]) =>
    Promise.all(
      folders.map(async (project_dir, index) => ({
        ...aSummary(),
        session_id: `ses_00000000000${index}`,
        status: 'finished' as const,
        project_dir,
        project_identity: await identityOf(project_dir),
      })),
    );

  it('are renamed or moved ones, with and without git', async () => {
    mkdirSync(at('plain'));
    const sessions = await ranIn(at('plain'), repository('tea'), at('tea', 'packages', 'a'));
    assert.deepEqual(await movedSessions(sessions, [at('plain'), at('tea')]), []);
    renameSync(at('plain'), at('other'));
    mkdirSync(at('deep', 'below'), { recursive: true });
    renameSync(at('tea'), at('deep', 'below', 'coffee'));
    const coffee = at('deep', 'below', 'coffee');
    assert.deepEqual(await movedSessions(sessions, [at('other'), coffee]), [
      { from: at('plain'), to: at('other'), isCertain: true, ids: ['ses_000000000000'] },
      { from: at('tea'), to: coffee, isCertain: true, ids: ['ses_000000000001'] },
      {
        from: at('tea', 'packages', 'a'),
        to: path.join(coffee, 'packages', 'a'),
        isCertain: true,
        ids: ['ses_000000000002'],
      },
    ]);
    const [, , inner] = sessions;
    assert.deepEqual(
      (await movedSessions(sessions, [path.join(coffee, 'packages')])).map(({ ids }) => ids),
      [[inner?.session_id]],
      'what is not in the folder that is open stays where it is',
    );
  });

  it('are clones that were copied to another disk, if the original was deleted', async () => {
    const sessions = await ranIn(repository('tea'));
    cpSync(at('tea'), at('copy'), { recursive: true });
    assert.deepEqual(await movedSessions(sessions, [at('copy')]), [], 'the original is still there');
    rmSync(at('tea'), { recursive: true });
    assert.deepEqual(await movedSessions(sessions, [at('copy')]), [
      { from: at('tea'), to: at('copy'), isCertain: true, ids: ['ses_000000000000'] },
    ]);
  });

  it('are removed worktrees, whose sessions belong to the others', async () => {
    repository('tea');
    git(at('tea'), 'worktree', 'add', '-q', at('feature'));
    mkdirSync(at('feature', 'new'));
    const sessions = await ranIn(at('feature'), at('feature', 'new'));
    assert.deepEqual(await movedSessions(sessions, [at('tea')]), []);
    git(at('tea'), 'worktree', 'remove', '--force', at('feature'));
    assert.deepEqual(
      (await movedSessions(sessions, [at('tea')])).map(({ to, isCertain }) => [to, isCertain]),
      [
        [at('tea'), true],
        [at('tea'), true],
      ],
      'a folder that this one has not is the nearest above it',
    );
  });

  it('are other clones of the same repository, with less certainty', async () => {
    repository('origin');
    git(root, 'clone', '-q', at('origin'), at('one'));
    git(root, 'clone', '-q', at('origin'), at('two'));
    const sessions = await ranIn(at('one'));
    rmSync(at('one'), { recursive: true });
    assert.deepEqual(await movedSessions(sessions, [at('two')]), [
      { from: at('one'), to: at('two'), isCertain: false, ids: ['ses_000000000000'] },
    ]);
  });

  it('do not include unrelated ones', async () => {
    repository('tea');
    repository('coffee');
    mkdirSync(at('plain'));
    const sessions = await ranIn(at('tea'), at('plain'));
    rmSync(at('tea'), { recursive: true });
    rmSync(at('plain'), { recursive: true });
    mkdirSync(at('plain2'));
    assert.deepEqual(await movedSessions(sessions, [at('coffee'), at('plain2')]), []);
    assert.deepEqual(await movedSessions([{ ...aSummary(), project_dir: at('nowhere') }], [at('coffee')]), []);
  });

  it('store no credentials of a remote, whatever git’s files contain', async () => {
    const same = ['https://me:key@Example.org/a/b.git', 'git@example.org:a/b.git', 'ssh://git@example.org/a/b/'];
    assert.deepEqual(same.map(plainRemote), ['example.org/a/b', 'example.org/a/b', 'example.org/a/b']);
    mkdirSync(at('odd'));
    writeFileSync(at('odd', '.git'), 'gitdir: /dev/zero');
    assert.equal((await identityOf(at('odd'))).clone, undefined);
    mkdirSync(at('worse', '.git', 'logs', 'HEAD'), { recursive: true });
    writeFileSync(at('worse', '.git', 'config'), '[remote "origin"\n url = \0\n[remote "x"]\n\turl=\n');
    assert.deepEqual(Object.keys(await identityOf(at('worse'))).sort(), ['folder', 'path']);
    assert.deepEqual(await identityOf(at('missing')), { path: '' });
  });

  it('are used to resume', async () => {
    const bench = new Bench();
    try {
      const engine = await bench.engine();
      const steps = [{ init: true }, { say: 'hello' }, { result: {} }];
      const handle = await engine.start({ ...bench.request(steps), cwd: repository('tea') });
      await waitForResult(handle);
      renameSync(at('tea'), at('coffee'));
      const [moved] = await engine.archive.findMovedSessions([at('coffee')]);
      assert.deepEqual([moved?.to, moved?.isCertain], [at('coffee'), true]);
      const id = handle.summary().session_id;
      handle.dispose();
      await engine.relink(id, moved?.to ?? '');
      assert.deepEqual(await engine.archive.findMovedSessions([at('coffee')]), []);
      const next = await engine.resume(id, { prompt: JSON.stringify(steps) });
      assert.equal((await waitForResult(next)).success, true);
      assert.equal(next.summary().project_dir, at('coffee'));
      next.dispose();
    } finally {
      await bench.close();
    }
  });
});
