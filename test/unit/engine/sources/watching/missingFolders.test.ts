import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MissingFolders } from '../../../../../src/engine/sources/watching/missingFolders.ts';
import { until } from '../../../../support/until.ts';

describe('missing folders', () => {
  let root: string;
  let created: number;
  let missing: MissingFolders;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'missing-'));
    created = 0;
    missing = new MissingFolders(() => (created += 1));
  });
  afterEach(() => {
    missing.dispose();
    rmSync(root, { recursive: true });
  });

  it('are reported when they, or a folder on the way to them, are created', async () => {
    const wanted = path.join(root, 'agent', 'sessions');
    assert.equal(await missing.set([wanted]), true);
    mkdirSync(path.join(root, 'another'));
    mkdirSync(path.join(root, 'agent'));
    await until('the first folder', () => created > 0);
    const before = created;
    assert.equal(await missing.set([wanted]), true);
    mkdirSync(wanted);
    await until('the folder', () => created > before);
  });

  it('are reported if they were created before the watch began', async () => {
    mkdirSync(path.join(root, 'agent'));
    await missing.set([path.join(root, 'agent')]);
    assert.equal(created, 1);
  });

  it('are waited for again after the folder above them was removed', async () => {
    const above = path.join(root, 'above');
    const wanted = path.join(above, 'sessions');
    mkdirSync(above);
    await missing.set([wanted]);
    rmSync(above, { recursive: true });
    await until('the removal', () => created > 0);
    await missing.set([wanted]);
    const before = created;
    mkdirSync(wanted, { recursive: true });
    await until('the folder', () => created > before);
  });

  it('are not reported after the end', async () => {
    const wanted = path.join(root, 'sessions');
    await missing.set([wanted]);
    missing.dispose();
    mkdirSync(wanted);
    await missing.set([wanted]);
    assert.equal(created, 0);
  });
});
