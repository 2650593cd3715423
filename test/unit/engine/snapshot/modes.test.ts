import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { unreportedNote } from '../../../../src/engine/snapshot/note.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { UnreportedChange } from '../../../../src/model/transcript/unreported.ts';
import { call, edits } from '../../../support/sessions/madeEntries.ts';
import { WatchedFolder } from '../../../support/watchedFolder.ts';

describe('permissions that change during a run', () => {
  let place: WatchedFolder;
  beforeEach(function () {
    // Windows has none.
    if (process.platform === 'win32') this.skip();
    place = new WatchedFolder();
  });
  afterEach(() => place.close());

  const chmod = (file: string, mode: number): void => chmodSync(path.join(place.folder, file), mode);

  async function changes(work: () => void, entries: readonly NormalizedEntry[] = []): Promise<UnreportedChange[]> {
    const watch = place.watch();
    await watch.begin();
    work();
    watch.apply(entries.map((entry) => ({ op: 'put', entry })));
    const found = await watch.end();
    assert.ok(typeof found !== 'string', JSON.stringify(found));
    return [...found.changes];
  }
  const changed = (file: string, executable: boolean, only: boolean): UnreportedChange => ({
    path: file,
    kind: 'changed',
    mode: { executable, only },
  });

  it('are noted in a repository, committed or not', async () => {
    place.repository();
    place.write('new.sh', 'new\n');
    const found = await changes(() => {
      chmod('src/a.ts', 0o755);
      chmod('src/b.ts', 0o755);
      place.git('add', 'src/b.ts');
      chmod('new.sh', 0o700);
      chmod('with space/ü.ts', 0o755);
      place.write('with space/ü.ts', 'y\n');
    });
    assert.deepEqual(found, [
      changed('new.sh', true, true),
      changed('src/a.ts', true, true),
      changed('src/b.ts', true, true),
      changed('with space/ü.ts', true, false),
    ]);
  });

  it('are not noted in a repository that ignores them, nor if only the text changed', async () => {
    place.repository();
    place.git('config', 'core.fileMode', 'false');
    const found = await changes(() => {
      chmod('src/a.ts', 0o755);
      place.write('src/a.ts', 'three\n');
      place.write('src/b.ts', 'four\n');
    });
    assert.deepEqual(found, [
      { path: 'src/a.ts', kind: 'changed' },
      { path: 'src/b.ts', kind: 'changed' },
    ]);
  });

  it('are noted without git, also beside a reported edit', async () => {
    place.write('a.sh', 'one\n');
    place.write('b.sh', 'b\n');
    chmod('b.sh', 0o755);
    const work = (): void => {
      place.write('a.sh', 'two\n');
      chmod('a.sh', 0o755);
      chmod('b.sh', 0o644);
    };
    const found = await changes(work, [call(1, edits('a.sh', 'one', 'two'))]);
    assert.deepEqual(found, [{ ...changed('a.sh', true, false), besides: true }, changed('b.sh', false, true)]);
    const note = unreportedNote({ how: 'files', changes: found, total: 2 });
    assert.match(
      note?.content ?? '',
      /- `a.sh` changed, and made executable, besides the reported edits\n- `b.sh` made not executable$/,
    );
  });
});
