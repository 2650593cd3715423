import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resumePlace } from '../../../../src/engine/sessions/resumePlace.ts';
import { observedId } from '../../../../src/engine/sources/ids.ts';
import type { FoundSession } from '../../../../src/engine/sources/foundSession.ts';
import type { SessionSources } from '../../../../src/engine/sources/sources.ts';
import { aSummary } from '../../../support/sessions/records.ts';

describe('the place of a resume', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'vitrine-resume-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const look = (overrides: Parameters<typeof aSummary>[0], environment = {}, known: readonly string[] = []) => {
    const find: SessionSources['find'] = (id) =>
      Promise.resolve(known.includes(id) ? ({ id } as unknown as FoundSession) : undefined);
    const summary = aSummary({ project_dir: root, executor_type: 'claude-code', ...overrides });
    return resumePlace(summary, { sources: { find }, environment, recordPath: path.join(root, 'record.jsonl') });
  };

  it('has the conversation if the agent has a file for any of its ids', async () => {
    const over = { executor_session_ids: ['first', 'second'] };
    assert.equal((await look(over, {}, [observedId('claude-code', 'first')])).conversation, 'found');
    assert.equal((await look(over)).conversation, 'missing');
    assert.equal((await look({ ...over, executor_type: 'acp' })).conversation, 'unknown');
    assert.deepEqual([(await look(over)).isNamed, (await look({ executor_session_ids: [] })).isNamed], [true, false]);
  });

  it('recognizes a linked worktree and a missing folder', async () => {
    assert.equal((await look({})).isWorktree, false);
    writeFileSync(path.join(root, '.git'), 'gitdir: /elsewhere/.git/worktrees/one\n');
    mkdirSync(path.join(root, 'inside'));
    assert.equal((await look({ project_dir: path.join(root, 'inside') })).isWorktree, true);
    const gone = await look({ project_dir: path.join(root, 'gone') });
    assert.equal(gone.folderExists, false);
  });

  it('recognizes CI by its variable, and another machine by its name', async () => {
    assert.deepEqual(
      [(await look({}, { CI: 'true' })).isCi, (await look({}, { CI: 'false' })).isCi, (await look({})).isCi],
      [true, false, false],
    );
    assert.equal((await look({ hostname: 'another-machine' })).isFromOtherMachine, true);
    assert.equal((await look({ hostname: undefined })).isFromOtherMachine, false);
  });
});
