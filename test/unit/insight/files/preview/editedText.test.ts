import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { editedText } from '../../../../../src/insight/files/preview/editedText.ts';
import type { AgentRequest } from '../../../../../src/model/agent/request.ts';
import { edits, writes } from '../../../../support/sessions/madeEntries.ts';

const request = (action: AgentRequest['action']): AgentRequest => ({
  id: 'r',
  kind: 'permission',
  title: '',
  asked_at: '',
  action,
});
const editing = request(edits('a.ts', 'x', 'y'));
const text = fc
  .array(fc.constantFrom('a', 'b', 'ab', '', ' ', '}'), { minLength: 1, maxLength: 12 })
  .map((lines) => lines.join('\n'));

describe('an edit changed by a person', () => {
  it('replaces text that occurs once, with what the person wrote', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { oldText, newText } = editedText(editing, 'a.ts', before, after);
        if (before === '') {
          assert.deepEqual([oldText, newText], [undefined, after]);
          return;
        }
        assert.ok(oldText !== undefined && oldText !== '');
        assert.equal(before.indexOf(oldText), before.lastIndexOf(oldText));
        assert.equal(
          before.replace(oldText, () => newText),
          after,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('is limited to the change, or whole for tools that write whole files', () => {
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    const [before, after] = [lines.join('\n'), lines.with(20, 'other').join('\n')];
    assert.deepEqual(editedText(editing, 'a.ts', before, after), {
      path: 'a.ts',
      oldText: 'line 20',
      newText: 'other',
    });
    assert.deepEqual(editedText(request(writes('a.ts', 'x')), 'a.ts', before, after), { path: 'a.ts', newText: after });
    assert.deepEqual(editedText(editing, 'a.ts', null, after), { path: 'a.ts', newText: after });
  });
});
