import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEditPreviews } from '../../../../src/engine/requests/readEditPreviews.ts';
import type { AgentRequest } from '../../../../src/model/agent/request.ts';
import type { EditPreview } from '../../../../src/model/transcript/editPreview.ts';

describe('reading the files of a pending edit', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'edit-preview-'));
    await mkdir(path.join(folder, 'work'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const work = (): string => path.join(folder, 'work');
  const stateOf = async (name: string): Promise<EditPreview['state'] | undefined> => {
    const change = { path: name, kind: 'update', oldText: 'tea', newText: 'mate' } as const;
    const request: AgentRequest = {
      id: 'r1',
      kind: 'permission',
      title: 'Edit',
      cwd: work(),
      asked_at: '2026-01-02T03:04:05.000Z',
      action: { kind: 'file_edit', changes: [change] },
    };
    const [preview] = await readEditPreviews(request, work());
    return preview?.state;
  };

  it('reads regular files of the session’s folder, by absolute and relative names', async () => {
    await writeFile(path.join(work(), 'a.txt'), 'some tea\n');
    assert.equal(await stateOf('a.txt'), 'placed');
    assert.equal(await stateOf(path.join(work(), 'a.txt')), 'placed');
    assert.equal(await stateOf('b.txt'), 'missing');
  });

  it('reads nothing outside, even through links, no folders, large or binary files', async () => {
    await writeFile(path.join(folder, 'secret.txt'), 'tea\n');
    await symlink(path.join(folder, 'secret.txt'), path.join(work(), 'link.txt'));
    await symlink(folder, path.join(work(), 'up'));
    for (const name of ['../secret.txt', path.join(folder, 'secret.txt'), 'link.txt', 'up/secret.txt', '/dev/zero'])
      assert.equal(await stateOf(name), 'outside', name);
    await mkdir(path.join(work(), 'sub'));
    assert.equal(await stateOf('sub'), 'unreadable');
    await writeFile(path.join(work(), 'bytes'), Buffer.from([0, 1, 2]));
    assert.equal(await stateOf('bytes'), 'unreadable');
    await writeFile(path.join(work(), 'large'), 'tea');
    await truncate(path.join(work(), 'large'), 2 * 1024 * 1024);
    assert.equal(await stateOf('large'), 'tooLarge');
  });
});
