import assert from 'node:assert/strict';
import { previewEdits } from '../../../../../src/insight/files/preview/previewEdits.ts';
import type { AgentRequest } from '../../../../../src/model/agent/request.ts';
import type { DiffLine, EditPreview, FileText } from '../../../../../src/model/transcript/editPreview.ts';
import type { FileChange, ToolAction } from '../../../../../src/model/transcript/tool.ts';

const path = '/w/src/a.ts';
const ten = Array.from({ length: 10 }, (_, n) => `line ${n + 1}`).join('\n');
const file = (text: string): FileText => ({ state: 'text', text, changedAt: 1 });
const request = (action: ToolAction, input?: unknown): AgentRequest => ({
  id: 'r1',
  kind: 'permission',
  title: 'Edit',
  asked_at: '2026-01-02T03:04:05.000Z',
  action,
  input,
});
const edit = (changes: readonly Omit<FileChange, 'path'>[], input?: unknown): AgentRequest =>
  request({ kind: 'file_edit', changes: changes.map((change) => ({ path, ...change })) }, input);
const only = (of: AgentRequest, now: FileText): EditPreview => {
  const [preview, ...others] = previewEdits(of, () => now);
  assert.equal(others.length, 0);
  assert.ok(preview);
  return preview;
};
const lines = (preview: EditPreview): string[] => {
  assert.ok(preview.state === 'placed', preview.state);
  return preview.lines.map(shown);
};
const signs = { same: ' ', add: '+', del: '-', gap: '~' } as const;
const shown = ({ kind, text, before, after }: DiffLine): string =>
  kind === 'gap' ? '~' : `${before ?? ''}:${after ?? ''}${signs[kind]}${text}`;

describe('the preview of an edit', () => {
  it('shows replaced text as whole lines with three lines of context, numbered on both sides', () => {
    const preview = only(edit([{ kind: 'update', oldText: 'ne 5', newText: 'ne five\nand more' }]), file(ten));
    assert.deepEqual(lines(preview), [
      '2:2 line 2',
      '3:3 line 3',
      '4:4 line 4',
      '5:-line 5',
      ':5+line five',
      ':6+and more',
      '6:7 line 6',
      '7:8 line 7',
      '8:9 line 8',
    ]);
  });

  it('shows all edits of one file in order, with a gap between distant ones', () => {
    const preview = only(
      edit([
        { kind: 'update', oldText: 'line 1\n', newText: 'first\n' },
        { kind: 'update', oldText: 'first', newText: 'number one' },
        { kind: 'update', oldText: 'line 10', newText: 'last' },
      ]),
      file(ten),
    );
    assert.deepEqual(lines(preview), [
      '1:-line 1',
      ':1+number one',
      '2:2 line 2',
      '3:3 line 3',
      '4:4 line 4',
      '~',
      '7:7 line 7',
      '8:8 line 8',
      '9:9 line 9',
      '10:-line 10',
      ':10+last',
    ]);
  });

  it('replaces every occurrence if requested, else reports how many there are', () => {
    const twice = file('tea\n-\ntea\n');
    const change = { kind: 'update', oldText: 'tea', newText: 'mate' } as const;
    const all = only(edit([change], { replace_all: true }), twice);
    assert.deepEqual(lines(all), ['1:-tea', ':1+mate', '2:2 -', '3:-tea', ':3+mate']);
    assert.deepEqual(all.state === 'placed' && [all.places, all.all], [2, true]);
    const first = only(edit([change], { edits: [{ replace_all: false }] }), twice);
    assert.deepEqual(lines(first), ['1:-tea', ':1+mate', '2:2 -', '3:3 tea']);
    assert.deepEqual(first.state === 'placed' && [first.places, first.all], [2, false]);
  });

  it('shows what a write changes in an existing file, and all of a new one', () => {
    const write = request({ kind: 'file_write', path, content: 'a\nB\nc\n' });
    const replaced = only(write, file('a\r\nb\r\nc\r\n'));
    assert.deepEqual(lines(replaced), ['1:1 a', '2:-b', ':2+B', '3:3 c']);
    assert.equal(replaced.state === 'placed' && replaced.file, 'replaced');
    const preview = only(write, { state: 'missing' });
    assert.deepEqual(lines(preview), [':1+a', ':2+B', ':3+c']);
    assert.equal(preview.state === 'placed' && preview.file, 'new');
  });

  it('places a patch by its line numbers, near them, or by its text alone', () => {
    const changed = [
      '2:2 line 2',
      '3:3 line 3',
      '4:4 line 4',
      '5:-line 5',
      ':5+five',
      '6:6 line 6',
      '7:7 line 7',
      '8:8 line 8',
    ];
    for (const head of ['@@ -4,3 +4,3 @@', '@@ -2,3 +2,3 @@', '@@ -9,3 +9,3 @@', '@@']) {
      const patch = `${head}\n line 4\n-line 5\n+five\n line 6`;
      assert.deepEqual(lines(only(edit([{ kind: 'update', patch }]), file(ten))), changed, head);
    }
    const added = only(edit([{ kind: 'update', patch: '@@ -2,0 +3 @@\n+between' }]), file('a\nb\nc\n'));
    assert.deepEqual(lines(added), ['1:1 a', '2:2 b', ':3+between', '3:4 c']);
  });

  it('shows the lines of a deleted file, and of a file that a patch creates', () => {
    assert.deepEqual(lines(only(edit([{ kind: 'delete' }]), file('a\nb\n'))), ['1:-a', '2:-b']);
    const patch = '@@ -0,0 +1,2 @@\n+a\n+b';
    assert.deepEqual(lines(only(edit([{ kind: 'add', patch }]), { state: 'missing' })), [':1+a', ':2+b']);
  });

  it('reports why an edit cannot be placed', () => {
    const change = { kind: 'update', oldText: 'tea', newText: 'mate' } as const;
    const states: readonly (readonly [AgentRequest, FileText, EditPreview['state']])[] = [
      [edit([change]), file('coffee'), 'notFound'],
      [edit([{ kind: 'update', patch: '@@ -1 +1 @@\n-tea\n+mate' }]), file('coffee'), 'notFound'],
      [edit([{ ...change, oldText: '' }]), file('coffee'), 'notFound'],
      [edit([change]), { state: 'missing' }, 'missing'],
      [edit([{ kind: 'delete' }]), { state: 'missing' }, 'missing'],
      [edit([change]), { state: 'outside' }, 'outside'],
      [edit([change]), { state: 'tooLarge' }, 'tooLarge'],
      [edit([change]), { state: 'unreadable' }, 'unreadable'],
      [edit([{ kind: 'update', newText: 'a cell' }]), file('{}'), 'unplaced'],
      [request({ kind: 'file_write', path, content: 'x\n'.repeat(2001) }), { state: 'missing' }, 'long'],
    ];
    for (const [asked, now, state] of states) assert.equal(only(asked, now).state, state);
    assert.deepEqual(
      previewEdits(request({ kind: 'command_run', command: 'ls' }), () => file('')),
      [],
    );
  });

  it('stops at input designed to be slow, and says so', () => {
    const many = `${'\n'.repeat(500_000)}x`;
    const hunk = `@@ -1,20000 +1,20000 @@\n${' \n'.repeat(20_000)}-y\n+z\n`;
    const all = { replace_all: true };
    const cases: readonly (readonly [AgentRequest, string])[] = [
      [edit([{ kind: 'update', patch: hunk }]), many],
      [edit([{ kind: 'update', oldText: 'a', newText: 'b'.repeat(100_000) }], all), 'a'.repeat(1_000_000)],
      [
        edit(Array.from({ length: 10_000 }, () => ({ kind: 'update' as const, oldText: 'a', newText: 'a' }))),
        'a'.repeat(1e6),
      ],
      [edit([{ kind: 'update', patch: `@@ -1,1 +1,400000 @@\n-x\n${'+y\n'.repeat(400_000)}` }]), 'x'],
    ];
    for (const [of, now] of cases) assert.equal(only(of, file(now)).state, 'long');
  });
});
