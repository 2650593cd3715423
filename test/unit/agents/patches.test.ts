import assert from 'node:assert/strict';
import { patchChanges as codexChanges } from '../../../src/agents/codex/oldEvents/patches.ts';
import { fileDiffs, patchChanges as copilotChanges, withDiffs } from '../../../src/agents/copilot/tools/patches.ts';
import { repeatTo } from '../../support/hostile/growing.ts';

describe('patches of agents', () => {
  const hunk = '@@ -1 +1 @@\n-one\n+two';

  it('report a moved file as missing in its old place', () => {
    const counts = { patch: hunk, added: 1, removed: 1 };
    const moved = [
      { path: 'new.ts', kind: 'update', ...counts },
      { path: 'old.ts', kind: 'delete' },
    ];
    const detail = { unified_diff: hunk, move_path: 'new.ts' };
    assert.deepEqual(codexChanges({ 'old.ts': { update: detail } }), moved);
    assert.deepEqual(codexChanges({ 'old.ts': { type: 'update', ...detail } }), moved);
    assert.deepEqual(codexChanges({ 'new.ts': { update: detail } }), moved.slice(0, 1));
    const patch = (to: string) =>
      `*** Begin Patch\n*** Update File: old.ts \n*** Move to: ${to}\n${hunk}\n*** End Patch`;
    assert.deepEqual(copilotChanges(patch('new.ts')), moved);
    assert.deepEqual(copilotChanges(patch('old.ts')), [{ ...moved[0], path: 'old.ts' }]);
  });

  it('have the diff of a moved file', () => {
    const shown = `diff --git a/w/old.ts b/w/new.ts\n--- a/w/old.ts\n+++ b/w/new.ts \n${hunk}\n`;
    const changes = [
      { path: '../elsewhere/new.ts', kind: 'update' as const },
      { path: '../elsewhere/old.ts', kind: 'delete' as const },
    ];
    assert.deepEqual(fileDiffs(shown), [{ path: '/w/new.ts', patch: hunk, added: 1, removed: 1 }]);
    assert.deepEqual(withDiffs(changes, fileDiffs(shown)), [
      { path: '../elsewhere/new.ts', kind: 'update', patch: hunk, added: 1, removed: 1 },
      changes[1],
    ]);
  });

  it('take linear time', () => {
    const name = repeatTo('  x', 1_000_000).slice(0, -1) + repeatTo(' ', 1_000_000);
    assert.equal(copilotChanges(`*** Update File: ${name}x`).length, 1);
    assert.equal(fileDiffs(`diff --git a/x b/x\n+++ b/${name}x\n${hunk}`).length, 1);
  });
});
