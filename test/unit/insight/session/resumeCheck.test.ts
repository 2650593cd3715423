import assert from 'node:assert/strict';
import { resumeCheck, type ResumePlace } from '../../../../src/insight/session/resumeCheck.ts';

const fine: ResumePlace = {
  isSupported: true,
  isNamed: true,
  program: 'found',
  folderExists: true,
  conversation: 'found',
  isFromOtherMachine: false,
  belongsToOtherUser: false,
  isWorktree: false,
  isContainer: false,
  isCi: false,
  isRemote: false,
};

describe('whether a session can be resumed here', () => {
  const check = (overrides: Partial<ResumePlace>) => resumeCheck({ ...fine, ...overrides });

  it('is yes if the agent’s file of the conversation is here', () => {
    assert.deepEqual(check({}), { verdict: 'yes', reasons: ['conversation_found'] });
    assert.equal(check({ isFromOtherMachine: true, belongsToOtherUser: true }).verdict, 'yes', 'its files came along');
  });

  it('is no if something essential is missing', () => {
    const cases: readonly (readonly [Partial<ResumePlace>, string])[] = [
      [{ isSupported: false, isNamed: false }, 'not_supported'],
      [{ isNamed: false }, 'no_conversation_id'],
      [{ program: 'missing' }, 'program_missing'],
      [{ folderExists: false }, 'folder_missing'],
    ];
    for (const [over, reason] of cases) {
      const { verdict, reasons } = check(over);
      assert.deepEqual([verdict, reasons[0]], ['no', reason]);
    }
  });

  it('is uncertain if the conversation was not found or not searched', () => {
    const missing = check({ conversation: 'missing', isFromOtherMachine: true });
    assert.deepEqual(missing, { verdict: 'uncertain', reasons: ['other_machine', 'conversation_missing'] });
    assert.deepEqual(check({ conversation: 'unknown' }), { verdict: 'uncertain', reasons: ['not_checked'] });
  });

  it('lists each place that conversations do not leave', () => {
    const { verdict, reasons } = check({ isWorktree: true, isContainer: true, isCi: true, isRemote: true });
    assert.equal(verdict, 'yes');
    assert.deepEqual(reasons, ['conversation_found', 'worktree', 'container', 'ci', 'remote']);
  });
});
