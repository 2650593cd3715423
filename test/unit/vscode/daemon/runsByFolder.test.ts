import assert from 'node:assert/strict';
import { runsByFolder, type MachineRun } from '../../../../src/vscode/daemon/runsByFolder.ts';

const run = (id: string, folder: string | undefined): MachineRun => ({ id, title: `Title of ${id}`, folder });

describe('runs on this machine', () => {
  it('are listed by folder, the one with most runs first', () => {
    const folders = runsByFolder([run('a', '/one'), run('b', '/two'), run('c', '/two'), run('d', undefined)]);
    assert.deepEqual(
      folders.map(({ folder, runs }) => [folder, runs.map(({ id }) => id)]),
      [
        ['/two', ['b', 'c']],
        [undefined, ['d']],
        ['/one', ['a']],
      ],
    );
  });

  it('are counted once if a daemon and this window both know them', () => {
    const [only, ...others] = runsByFolder([run('a', '/one'), { ...run('a', '/one'), title: 'Kept' }]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      only?.runs.map(({ title }) => title),
      ['Title of a'],
    );
  });
});
