import assert from 'node:assert/strict';
import { editText } from '../../../../src/cli/attach/editText.ts';
import { previewEdits } from '../../../../src/insight/files/preview/previewEdits.ts';
import type { AgentRequest } from '../../../../src/model/agent/request.ts';

const asked: AgentRequest = {
  id: 'r1',
  kind: 'permission',
  title: 'Edit',
  asked_at: '2026-01-02T03:04:05.000Z',
  action: {
    kind: 'file_edit',
    changes: [{ path: 'src/a.ts', kind: 'update', oldText: 'line 10', newText: 'line ten\u202e' }],
  },
};
const text = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n');

describe('an edit awaiting approval on a terminal', () => {
  it('prints changed lines with numbers and context', () => {
    const previews = previewEdits(asked, () => ({
      state: 'text',
      text,
      changedAt: Date.parse('2026-01-02T03:05:00Z'),
    }));
    assert.deepEqual(editText(asked, previews).split('\n'), [
      '  src/a.ts',
      '    (the file changed after the agent asked)',
      '     7   line 7',
      '     8   line 8',
      '     9   line 9',
      '    10 - line 10',
      '    10 + line ten⟨U+202E⟩',
      '    11   line 11',
      '    12   line 12',
      '    13   line 13',
    ]);
  });

  it('explains a missing preview', () => {
    const state = (problem: 'missing' | 'outside' | 'tooLarge'): string =>
      editText(
        asked,
        previewEdits(asked, () => ({ state: problem })),
      );
    assert.match(state('missing'), /this file does not exist/);
    assert.match(state('outside'), /not read/);
    assert.equal(editText({ ...asked, action: undefined }, []), '');
  });
});
