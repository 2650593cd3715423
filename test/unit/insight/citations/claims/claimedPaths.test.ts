import assert from 'node:assert/strict';
import { linksOf } from '../../../../../src/insight/citations/links.ts';
import { namedPath, normalPath } from '../../../../../src/insight/citations/sources/pathNames.ts';
import { mentionsIn } from '../../../../../src/insight/citations/claims/scan.ts';
import { SessionEvidence } from '../../../../../src/insight/citations/sources/sessionEvidence.ts';
import type { EvidenceLink } from '../../../../../src/insight/citations/types.ts';
import type { NormalizedEntry } from '../../../../../src/model/transcript/entry.ts';
import type { ToolAction, ToolUse } from '../../../../../src/model/transcript/tool.ts';

const timestamp = '2026-11-20T10:00:00.000Z';

function step(index: number, action: ToolAction, overrides: Partial<ToolUse> = {}): NormalizedEntry {
  const tool: ToolUse = { toolName: 'made', callId: `call_${index}`, action, status: 'success', ...overrides };
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: '' };
}

function linksAfter(steps: readonly NormalizedEntry[], content: string, workDir = '/workspace'): EvidenceLink[] {
  const session = new SessionEvidence(workDir);
  for (const entry of steps) session.add(entry);
  return linksOf({ index: 1000, timestamp, type: { kind: 'assistant_message' }, content }, session);
}

const numbered = (last: number) => Array.from({ length: last }, (_, at) => `${at + 1}\tline ${at + 1}`).join('\n');

describe('a path in an answer', () => {
  const paths: readonly (readonly [text: string, path: string])[] = [
    ['`docs/guide one.md`', 'docs/guide one.md'],
    ['[guide](docs/guide%20one.md)', 'docs/guide one.md'],
    ['[it](<docs/guide one.md>)', 'docs/guide one.md'],
    ['[it](file:///C:/repo/a.ts)', 'C:/repo/a.ts'],
    ['[it](file:///repo/a.ts)', '/repo/a.ts'],
    ['`.env.local`', '.env.local'],
    ['`.dockerignore`', '.dockerignore'],
    ['~~src/a.ts~~', 'src/a.ts'],
    ['_src/a.ts_', 'src/a.ts'],
    ['_src/a.ts_.', 'src/a.ts'],
    ['src/__init__.py', 'src/__init__.py'],
    ['src/_a_.ts', 'src/_a_.ts'],
    ['[a](docs/a_(b).md)', 'docs/a_(b).md'],
  ];
  for (const [text, path] of paths) {
    it(text, () =>
      assert.deepEqual(
        mentionsIn(text).map((mention) => mention.path),
        [path],
      ),
    );
  }

  it('has its exact range, without quotes or brackets', () => {
    assert.equal(mentionsIn('was ~~src/a.ts~~ once')[0]?.claim, 'src/a.ts');
    assert.equal(mentionsIn('was _src/a.ts_ once')[0]?.claim, 'src/a.ts');
  });

  it('is not a command with a file argument', () => {
    for (const text of ['`cat src/a b.ts`', '`./run.sh src/a.ts`', '`bin/tool --all a.ts`', '`scripts/a.sh b.ts`'])
      assert.deepEqual(
        mentionsIn(text).map(({ kind }) => kind),
        ['command'],
        text,
      );
  });

  it('is the same with a lower-case drive letter', () => {
    assert.equal(normalPath('c:\\Repo\\src\\a.ts', 'C:\\Repo'), 'src/a.ts');
    assert.equal(normalPath('file:///c:/Repo/a%20b.ts', 'C:\\Repo'), 'a b.ts');
    const read = step(1, { kind: 'file_read', path: 'c:\\other\\a.ts' }, { result: { text: 'a\nb' } });
    assert.equal(linksAfter([read], 'See [it](file:///C:/other/a.ts).', 'C:\\Repo')[0]?.status, 'found');
  });
});

describe('lines in an answer', () => {
  const ways: readonly (readonly [text: string, first: number, last: number])[] = [
    ['`src/a.ts:3-9,20-22`', 3, 9],
    ['`src/a.ts:3-9, 20-22`', 3, 9],
    ['`src/a.ts:3,9`', 3, 3],
    ['`src/a.ts:L3-L9`', 3, 9],
    ['src/a.ts:L3', 3, 3],
    ['`src/a.ts#L1:L2`', 1, 2],
    ['`src/a.ts(12,5)`', 12, 12],
    ['`src/a.ts` (lines 3, 9)', 3, 3],
    ['`src/a.ts` lines 1 and 2 say so', 1, 2],
    ['`src/a.ts` from line 1 to line 2', 1, 2],
    ['lines 1 and 2 of `src/a.ts`', 1, 2],
    ['src/a.ts 的第 12 行', 12, 12],
  ];
  for (const [text, first, last] of ways) {
    it(text, () =>
      assert.deepEqual(
        mentionsIn(text).map(({ path, lines }) => [path, lines]),
        [['src/a.ts', [first, last]]],
      ),
    );
  }

  it('are not the arguments of a function', () => {
    for (const call of ['items.map(3)', 'np.sum(1,2)', 'foo(3)', 'x.c(1)'])
      assert.equal(namedPath(call), undefined, call);
    assert.equal(mentionsIn('`src/a.ts` line 3, 9 tests pass')[0]?.claim, '`src/a.ts` line 3');
  });

  it('are not found in a file that never had so many', () => {
    const all = step(1, { kind: 'file_read', path: 'a.ts' }, { result: { text: numbered(30) } });
    const edit = (newText: string) =>
      step(2, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', oldText: 'x', newText }] });
    const [none] = linksAfter([all, edit('y')], '`a.ts:500` is wrong.');
    assert.deepEqual([none?.status, none?.reason], ['not_found', 'lines_not_seen']);
    assert.equal(linksAfter([all, edit('y\n'.repeat(600))], '`a.ts:500` is new.')[0]?.status, 'found');
    assert.equal(linksAfter([all, edit('y')], '`a.ts:20` is new.')[0]?.status, 'found');
    // Agents stop reading at round numbers.
    const some = step(1, { kind: 'file_read', path: 'a.ts' }, { result: { text: numbered(2000) } });
    assert.equal(linksAfter([some, edit('y')], '`a.ts:2500` is new.')[0]?.status, 'found');
    const run = step(3, { kind: 'command_run', command: 'generate a.ts' });
    assert.equal(linksAfter([all, edit('y'), run], '`a.ts:500` is new.')[0]?.status, 'found');
  });
});

describe('a member of an object', () => {
  it('is a file only if such a file exists', () => {
    for (const name of [
      'items.map',
      'np.sum',
      'this.service',
      'options.env',
      'rect.h',
      'ctx.log',
      'Array.prototype.map',
      'package.lock',
    ]) {
      assert.deepEqual(linksAfter([], `The value of \`${name}\` is wrong.`), [], name);
      assert.deepEqual(linksAfter([], `The value of ${name} is wrong.`), [], name);
    }
    const read = step(1, { kind: 'file_read', path: 'src/rect.h' }, { result: { text: 'a\nb' } });
    assert.equal(linksAfter([read], 'The size is in `rect.h`.')[0]?.status, 'found');
    for (const text of ['I changed `main.go`.', 'See `yarn.lock`.', 'See `src/main.go`.', 'See `.env`.'])
      assert.equal(linksAfter([], text)[0]?.status, 'not_found', text);
  });
});
