import assert from 'node:assert/strict';
import { completeAction } from '../../../../src/agents/claude-code/tools/toolOutcome.ts';
import { FileHistory } from '../../../../src/insight/files/history.ts';
import type { FileChange } from '../../../../src/model/transcript/tool.ts';
import { call } from '../../../support/sessions/madeEntries.ts';
import { repeatTo } from '../../../support/hostile/growing.ts';

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

function edited(changes: readonly Omit<FileChange, 'path' | 'kind'>[], detail: object, hunks: readonly Hunk[]) {
  const action = {
    kind: 'file_edit' as const,
    changes: changes.map((change) => ({ path: 'a', kind: 'update' as const, ...change })),
  };
  const structuredPatch = hunks.map((hunk) => ({ ...hunk, oldLines: 9, newLines: 9 }));
  const done = completeAction(action, { text: '', isError: false, detail: { ...detail, structuredPatch } });
  assert.ok(done.kind === 'file_edit');
  return done;
}

/** What the history makes of it, and whether it is sure. */
function outcome(action: ReturnType<typeof edited>, before: string): [string | null | undefined, boolean] {
  const history = new FileHistory('a', '', before);
  history.add(call(1, action));
  return [history.after, history.isExact];
}

describe('patches of Claude Code, which print two spaces for a tab', () => {
  const before = 'all:\n\tcc a.c\n\t\tdeep\n  spaces\nend\n';

  for (const [name, change, hunk, after] of [
    [
      'within a line and around it',
      { oldText: 'cc a.c', newText: 'cc b.c' },
      { oldStart: 1, newStart: 1, lines: [' all:', '-  cc a.c', '+  cc b.c', '     deep', '   spaces', ' end'] },
      'all:\n\tcc b.c\n\t\tdeep\n  spaces\nend\n',
    ],
    [
      'in lines that are new, next to those that have spaces',
      { oldText: 'end', newText: '\tone\n  two\nend' },
      { oldStart: 3, newStart: 3, lines: ['     deep', '   spaces', '+  one', '+  two', ' end'] },
      'all:\n\tcc a.c\n\t\tdeep\n  spaces\n\tone\n  two\nend\n',
    ],
    [
      'where a line goes with its line break',
      { oldText: '\tcc a.c', newText: '' },
      { oldStart: 1, newStart: 1, lines: [' all:', '-  cc a.c', '     deep', '   spaces', ' end'] },
      'all:\n\t\tdeep\n  spaces\nend\n',
    ],
    [
      'everywhere at once',
      { oldText: '\t', newText: '\t\t', all: true },
      {
        oldStart: 1,
        newStart: 1,
        lines: [' all:', '-  cc a.c', '-    deep', '+    cc a.c', '+        deep', '   spaces', ' end'],
      },
      'all:\n\t\tcc a.c\n\t\t\t\tdeep\n  spaces\nend\n',
    ],
  ] as const) {
    it(`have their tabs restored ${name}`, () => {
      const { oldText, newText } = change;
      const detail = { originalFile: before, oldString: oldText, newString: newText, replaceAll: 'all' in change };
      assert.deepEqual(outcome(edited([{ oldText, newText }], detail, [hunk]), before), [after, true]);
    });
  }

  it('have their tabs restored for several edits at once, and edits that the user changed', () => {
    const edits = [
      { oldText: 'cc a.c', newText: 'cc b.c' },
      { oldText: 'deep', newText: 'low\n\tmore' },
    ];
    const detail = {
      originalFileContents: before,
      edits: edits.map((edit) => ({ old_string: edit.oldText, new_string: edit.newText })),
    };
    const lines = [' all:', '-  cc a.c', '-    deep', '+  cc b.c', '+    low', '+  more', '   spaces', ' end'];
    const hunks = [{ oldStart: 1, newStart: 1, lines }];
    const after = 'all:\n\tcc b.c\n\t\tlow\n\tmore\n  spaces\nend\n';
    assert.deepEqual(outcome(edited(edits, detail, hunks), before), [after, true]);
    const changed = { originalFile: before, oldString: 'deep', newString: 'low\n\tmore', userModified: true };
    const patch = [{ oldStart: 2, newStart: 2, lines: ['   cc a.c', '-    deep', '+    low', '+  more', '   spaces'] }];
    const own = edited([{ oldText: 'deep', newText: 'other' }], changed, patch);
    assert.deepEqual(outcome(own, before), ['all:\n\tcc a.c\n\t\tlow\n\tmore\n  spaces\nend\n', true]);
  });

  it('are uncertain without the previous file, and keep context lines', () => {
    const hunk = { oldStart: 1, newStart: 1, lines: [' all:', '-  cc a.c', '+  cc b.c', '     deep', '   spaces'] };
    const action = edited([{ oldText: 'cc a.c', newText: 'cc b.c' }], {}, [hunk]);
    assert.deepEqual(outcome(action, before), ['all:\n  cc b.c\n\t\tdeep\n  spaces\nend\n', false]);
  });

  it('take linear time', () => {
    for (const piece of ['\t', '\t\n', ' \t', '\r\t']) {
      const large = repeatTo(piece, 2_000_000);
      const detail = { originalFile: large, oldString: large, newString: `${large}x`, replaceAll: true };
      const lines = large.split('\n').map((line) => `-${line}`);
      const action = edited([{ oldText: large, newText: `${large}x` }], detail, [{ oldStart: 1, newStart: 1, lines }]);
      assert.equal(action.changes.length, 1);
    }
  });
});
