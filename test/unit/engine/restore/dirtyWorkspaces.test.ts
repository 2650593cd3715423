import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { FileSnapshots } from '../../../../src/engine/restore/fileSnapshots.ts';
import { changeFolder, repositoryHash, stateOfFolder, type FolderChange } from '../../../support/dirtyFolder.ts';
import { fuzzOptions, fuzzRuns } from '../../../support/hostile/fuzz.ts';
import { WatchedFolder } from '../../../support/watchedFolder.ts';

const warnings: string[] = [];
const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: (text: string) => void warnings.push(text), error: silent };

const number = fc.nat(1000);
const kind = fc.constantFrom<FolderChange['kind']>(
  ...(['write', 'write', 'write', 'delete', 'rename', 'mode', 'link', 'stage', 'commit', 'folder', 'rules'] as const),
);
const change: fc.Arbitrary<FolderChange> = fc.record({ kind, file: number, other: number, content: number });
const steps = fc.array(fc.array(change, { minLength: 3, maxLength: 25 }), { minLength: 2, maxLength: 4 });

/** Files that git tracks or does not ignore, by a repository of its own where the folder has none. */
function listedFiles(at: WatchedFolder, isRepository: boolean): Set<string> {
  const git = ['--git-dir', path.join(at.root, 'empty.git'), '--work-tree', at.folder];
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const output = execFileSync('git', [...(isRepository ? [] : git), ...args], {
    cwd: at.folder,
    env: at.environment,
    encoding: 'utf8',
  });
  return new Set(output.split('\0').filter((name) => name !== ''));
}

describe('restoring random dirty workspaces', function () {
  this.timeout(fuzzRuns(240_000));

  it('restores bytes and permissions, and loses nothing', async () => {
    let restores = 0;
    await fc.assert(
      fc.asyncProperty(fc.boolean(), steps, async (isRepository, rounds) => {
        const at = new WatchedFolder();
        try {
          if (isRepository) at.repository();
          else execFileSync('git', ['init', '-q', '--bare', path.join(at.root, 'empty.git')], { env: at.environment });
          const git = isRepository ? (...args: string[]) => void at.git(...args) : undefined;
          const storeDir = path.join(at.root, 'store');
          mkdirSync(storeDir);
          const { environment, folder } = at;
          let clock = 1_800_000_000_000;
          const snapshots = new FileSnapshots({
            storeDir,
            environment: () => environment,
            clock: () => (clock += 1000),
            log,
          });
          const session = { id: 'ses_0123456789ab', folder };
          const points: { readonly files: Map<string, string>; readonly listed: Set<string> }[] = [];
          for (const [entry, changes] of rounds.entries()) {
            for (const folderChange of changes) changeFolder(folder, folderChange, git);
            const ownRepository = repositoryHash(folder);
            await snapshots.take(session, { entry, kind: 'prompt' });
            assert.equal(repositoryHash(folder), ownRepository);
            points.push({ files: stateOfFolder(folder), listed: listedFiles(at, isRepository) });
          }
          for (const entry of [...points.keys()].reverse()) {
            const { files: then, listed } = points[entry]!;
            const before = stateOfFolder(folder);
            const listedNow = listedFiles(at, isRepository);
            const ownRepository = repositoryHash(folder);
            const preview = await snapshots.preview(session, { entry });
            const changed = new Set(preview.changes.map((planned) => planned.path));
            assert.deepEqual(stateOfFolder(folder), before, 'a preview changes nothing');
            const { failed, skipped } = await snapshots.restore(session, { entry }, preview.now);
            restores += 1;
            const after = stateOfFolder(folder);
            const skippedPaths = new Set(skipped.map((file) => file.path));
            assert.deepEqual(failed, []);
            for (const name of listed) {
              if (!then.has(name) || skippedPaths.has(name)) continue;
              assert.equal(after.get(name), then.get(name), `${name} at ${entry}`);
            }
            for (const [name, state] of before) {
              const inTheWay = [...listed].some(
                (other) => other.startsWith(`${name}/`) || name.startsWith(`${other}/`),
              );
              const isIgnored = !listedNow.has(name) && !listed.has(name);
              // Ignored files stay, unless a restored file takes their place or they were copied before a rule ignored them.
              if ((isIgnored && !inTheWay && !changed.has(name)) || skippedPaths.has(name))
                assert.equal(after.get(name), state, `${name} stays`);
              else if (then.has(name) && !listed.has(name) && !inTheWay) assert.ok(after.has(name), `${name} is lost`);
            }
            assert.equal(repositoryHash(folder), ownRepository, 'the repository of the user');
            if (preview.changes.length === 0) continue;
            const undone = await snapshots.restore(session, { undo: true }, undefined);
            assert.deepEqual(undone.failed, []);
            assert.deepEqual(stateOfFolder(folder), before, `undo of ${entry}`);
            await snapshots.restore(session, { entry }, undefined);
          }
          assert.deepEqual(warnings.splice(0), []);
        } finally {
          rmSync(at.root, { recursive: true, force: true });
        }
      }),
      { ...fuzzOptions(2), endOnFailure: true },
    );
    assert.ok(restores > 0);
  });
});
