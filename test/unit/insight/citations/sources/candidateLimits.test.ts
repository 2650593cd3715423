import assert from 'node:assert/strict';
import { parseCommandRead } from '../../../../../src/insight/citations/sources/commandReads.ts';
import { evidenceOf, type Evidence } from '../../../../../src/insight/citations/sources/evidence.ts';
import { linksOf } from '../../../../../src/insight/citations/links.ts';
import { SessionEvidence } from '../../../../../src/insight/citations/sources/sessionEvidence.ts';
import { assessExitCode, shellParts } from '../../../../../src/insight/citations/commands/shell.ts';
import type { EvidenceLink } from '../../../../../src/insight/citations/types.ts';
import { doesRecordAgree } from '../../../../support/evidence/agreement.ts';
import type { NormalizedEntry } from '../../../../../src/model/transcript/entry.ts';
import type { ToolAction, ToolUse } from '../../../../../src/model/transcript/tool.ts';

const timestamp = '2026-11-20T10:00:00.000Z';

function step(index: number, action: ToolAction, overrides: Partial<ToolUse> = {}): NormalizedEntry {
  const tool: ToolUse = { toolName: 'made', callId: `call_${index}`, action, status: 'success', ...overrides };
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: '' };
}

function firstLink(steps: readonly NormalizedEntry[], content: string): EvidenceLink | undefined {
  const session = new SessionEvidence('/workspace');
  for (const entry of steps) session.add(entry);
  return linksOf({ index: 1000, timestamp, type: { kind: 'assistant_message' }, content }, session)[0];
}

function evidenceFor(entry: NormalizedEntry, content: string): Evidence {
  const link = firstLink([entry], content);
  assert.ok(link?.source, content);
  return evidenceOf(entry, link.source, link, (text) => `length ${text.length}`);
}

const run = (command: string, stdout = '', exitCode = 0) =>
  step(1, { kind: 'command_run', command, stdout, exitCode }, { status: exitCode === 0 ? 'success' : 'failed' });
const numberedLines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\tline ${from + at}`).join('\n');
const plainLines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');

describe('a source compared with its claim', () => {
  it('is not a file of the same name in another folder', () => {
    const read = step(1, { kind: 'file_read', path: '/workspace/index.ts' }, { result: { text: 'a\nb' } });
    const link = firstLink([read], 'See `packages/a/index.ts`.');
    assert.deepEqual([link?.status, link?.candidates.length], ['not_found', 1]);
    // A command may have been run in that folder.
    assert.equal(firstLink([run('cat index.ts', 'a\nb')], 'See `packages/a/index.ts`.')?.status, 'found');
  });

  it('may be a path relative to the repository, if the session worked in a subfolder', () => {
    const session = new SessionEvidence('/repo/packages/app');
    session.add(step(1, { kind: 'file_read', path: '/repo/packages/app/src/x.ts' }, { result: { text: 'a\nb' } }));
    const content = 'See `packages/app/src/x.ts` and `packages/b/src/x.ts`.';
    const links = linksOf({ index: 9, timestamp, type: { kind: 'assistant_message' }, content }, session);
    assert.deepEqual(
      links.map(({ status }) => status),
      ['found', 'not_found'],
    );
  });

  it('may be in a folder with brackets in its name', () => {
    const read = step(1, { kind: 'file_read', path: '/workspace/app/[slug]/page.tsx' }, { result: { text: 'a\nb' } });
    for (const shown of ['`app/[slug]/page.tsx:2`', 'app/[slug]/page.tsx:2', '`page.tsx`']) {
      assert.equal(firstLink([read], `See ${shown} there.`)?.source?.path, 'app/[slug]/page.tsx', shown);
    }
    const search = step(1, { kind: 'search', query: 'x' }, { result: { text: 'app/[[...all]]/page.tsx:3: x' } });
    assert.equal(firstLink([search], 'See `app/[[...all]]/page.tsx:3`.')?.source?.path, 'app/[[...all]]/page.tsx');
  });

  it('is not a change that was denied or failed', () => {
    const changes = [{ path: 'a.ts', kind: 'update' as const, oldText: 'a', newText: 'b' }];
    for (const status of ['denied', 'failed', 'cancelled'] as const) {
      const link = firstLink([step(1, { kind: 'file_edit', changes }, { status })], 'I changed `a.ts`.');
      assert.deepEqual([link?.status, link?.candidates[0]?.status], ['not_found', status]);
      const reported = firstLink(
        [step(1, { kind: 'file_edit', changes }, { status })],
        'You declined the edit of `a.ts`.',
      );
      assert.deepEqual([reported?.status, reported?.source?.status], ['found', status]);
    }
  });

  it('covers the lines that were read, even if more were requested', () => {
    const read = (text: string, action: Partial<Extract<ToolAction, { kind: 'file_read' }>> = {}) =>
      step(1, { kind: 'file_read', path: 'a.ts', startLine: 1, endLine: 200, ...action }, { result: { text } });
    assert.equal(firstLink([read(numberedLines(1, 50))], '`a.ts:60`')?.status, 'not_found');
    assert.equal(firstLink([read(numberedLines(1, 50))], '`a.ts:40`')?.status, 'found');
    assert.equal(firstLink([read(plainLines(1, 50))], '`a.ts:60`')?.status, 'not_found');
    assert.equal(firstLink([read('Read 200 lines')], '`a.ts:60`')?.status, 'found');
    assert.equal(firstLink([run("sed -n '1,200p' a.ts", plainLines(1, 50))], '`a.ts:60`')?.status, 'not_found');
  });
});

describe('a file that a command prints', () => {
  const cases: readonly (readonly [
    string,
    string,
    string | undefined,
    readonly [number, number] | null | undefined,
  ])[] = [
    ['cat a.ts', plainLines(1, 9), 'a.ts', [1, 9]],
    ['cd src && cat -n a.ts', numberedLines(1, 9), 'src/a.ts', [1, 9]],
    ['cd /workspace/src; sed -n 3,5p a.ts', plainLines(3, 5), '/workspace/src/a.ts', [3, 5]],
    ['nl -ba a.ts | sed -n "3,5p"', numberedLines(3, 5), 'a.ts', [3, 5]],
    ['cat a.ts | head -20', plainLines(1, 9), 'a.ts', [1, 9]],
    ['head -n 3 a.ts', plainLines(1, 3), 'a.ts', [1, 3]],
    ['tail -n +4 a.ts | head -3', plainLines(4, 6), 'a.ts', [4, 6]],
    ['tail -20 a.ts', plainLines(81, 100), 'a.ts', null],
    ['cat a.ts | grep x', 'x', 'a.ts', null],
    ['cat a.ts b.ts', 'x', undefined, undefined],
    ['cat a.ts; ls', 'x', undefined, undefined],
    ['cd "$DIR" && cat a.ts', 'x', undefined, undefined],
    ['npm test', 'x', undefined, undefined],
  ];
  for (const [command, output, path, lines] of cases) {
    it(command, () => {
      const read = parseCommandRead(command, output);
      assert.deepEqual([read?.path, read?.lines], [path, lines]);
    });
  }

  it('is not identified by omitted or renumbered lines', () => {
    const cut = `${plainLines(1, 40)}\n... [300 lines truncated] ...\n${plainLines(341, 400)}`;
    const sed = run("sed -n '1,400p' a.ts", cut);
    assert.equal(firstLink([sed], '`a.ts:390`')?.status, 'found');
    assert.deepEqual(evidenceFor(sed, '`a.ts:20`').lines, [18, 22]);
    assert.notEqual(evidenceFor(sed, '`a.ts:90`').originalText?.includes('line 387'), true);
    const read = step(1, { kind: 'file_read', path: 'a.ts', startLine: 1, endLine: 400 }, { result: { text: cut } });
    assert.equal(firstLink([read], '`a.ts:400`')?.status, 'found');
    const again = parseCommandRead("sed -n '30,60p' a.ts | cat -n", numberedLines(1, 31));
    assert.deepEqual([again?.path, again?.lines], ['a.ts', null]);
    assert.equal(parseCommandRead('nl a.ts', numberedLines(1, 9))?.lines, null);
    const table = step(1, { kind: 'file_read', path: 'ids.csv' }, { result: { text: '1001|foo\n1002|bar' } });
    assert.equal(firstLink([table], '`ids.csv:2`')?.status, 'found');
    assert.deepEqual(parseCommandRead('cat ids.csv', '1001|foo\n1002|bar')?.lines, [1, 2]);
  });

  it('is evidence for its lines', () => {
    const evidence = evidenceFor(run("sed -n '30,60p' src/a.ts", plainLines(30, 60)), '`src/a.ts:40`');
    assert.deepEqual([evidence.lines, evidence.originalText], [[38, 42], plainLines(38, 42)]);
  });
});

describe('evidence of an edit', () => {
  const hunk = (at: number, word: string) => `@@ -${at},3 +${at},3 @@\n ${word} a\n-old\n+${word} new\n ${word} b`;

  it('is the part with the claimed lines', () => {
    const patch = [hunk(4, 'first'), hunk(40, 'second')].join('\n');
    const edit = step(1, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', patch }] });
    assert.equal(evidenceFor(edit, '`a.ts:41`').originalText, 'second a\nsecond new\nsecond b');
    assert.deepEqual(evidenceFor(edit, '`a.ts:41`').lines, [40, 42]);
    assert.equal(evidenceFor(edit, 'I changed `a.ts`.').originalText, 'first a\nfirst new\nfirst b');
  });

  it('belongs to its file, not to another whose name ends alike', () => {
    const changes = [
      { path: '/workspace/data.ts', kind: 'update' as const, patch: hunk(1, 'data') },
      { path: '/workspace/a.ts', kind: 'update' as const, patch: hunk(1, 'a') },
    ];
    assert.match(evidenceFor(step(1, { kind: 'file_edit', changes }), 'I changed `a.ts`.').originalText ?? '', /^a a/);
  });

  it('has no line numbers if the edit has none', () => {
    const changes = [{ path: 'a.ts', kind: 'update' as const, oldText: 'x', newText: 'y\nz' }];
    const evidence = evidenceFor(step(1, { kind: 'file_edit', changes }), 'I changed `a.ts`.');
    assert.deepEqual([evidence.lines, evidence.originalText], [null, 'y\nz']);
  });
});

it('evidence of a search consists of the lines that name the file and line', () => {
  const text = 'src/data.ts:7: x\nsrc/a.ts:3: y\nsrc/a.ts:30: z\nsrc/a.tsx:3: no';
  const search = step(1, { kind: 'search', query: 'x' }, { result: { text } });
  assert.equal(evidenceFor(search, 'See `src/a.ts:3`.').originalText, 'src/a.ts:3: y');
  assert.equal(evidenceFor(search, 'See `src/a.ts`.').originalText, 'src/a.ts:3: y\nsrc/a.ts:30: z');
});

describe('the outcome of tests', () => {
  const agrees = (entry: NormalizedEntry, content: string) => doesRecordAgree(firstLink([entry], content));

  it('is not an exit code that another command decides', () => {
    for (const command of ['npm test | tail -5', 'npm test; echo done', 'npm test || true', 'npm test\necho done']) {
      assert.equal(agrees(run(command), 'All tests pass.'), undefined, command);
    }
    for (const command of [
      'npm test',
      'cd x && npm test',
      'set -o pipefail; npm test | tail',
      'set -e\nnpm test\nls',
    ]) {
      assert.equal(agrees(run(command), 'All tests pass.'), true, command);
    }
    assert.equal(agrees(run('npm test && git push', '', 1), 'All tests pass.'), undefined);
    assert.equal(agrees(run('cd x && npm test', '', 1), 'All tests pass.'), false);
    assert.equal(agrees(run('npm test | tail -5', 'Tests: 12 passed, 12 total'), 'All tests pass.'), true);
  });

  it('is read from lines of shell output', () => {
    assert.deepEqual(shellParts(`(cd a && echo "b; c") 2>&1 | tail\nls & pwd`), [
      { command: 'cd a', separator: '' },
      { command: 'echo "b; c") 2>&1', separator: '&&' },
      { command: 'tail', separator: '|' },
      { command: 'ls', separator: ';', isBackground: true },
      { command: 'pwd', separator: '&' },
    ]);
    assert.deepEqual(
      assessExitCode([], () => true),
      { success: true, failure: true },
    );
    assert.equal(firstLink([run('set -e\ntimeout 60 npm test')], 'Tests pass.')?.status, 'found');
    assert.equal(firstLink([run('jest --version')], 'Tests pass.')?.status, 'not_found');
  });

  it('is inverted by "no", made partial by "of", and not claimed by a question', () => {
    const passing = run('npm test', 'Tests: 42 passed, 42 total');
    const failing = run('npm test', 'Tests: 3 failed, 39 passed, 42 total', 1);
    assert.equal(agrees(passing, 'No tests failed.'), true);
    assert.equal(agrees(failing, 'No tests failed.'), false);
    assert.equal(agrees(passing, '0 tests failed.'), true);
    assert.equal(agrees(failing, '39 of 42 tests passed.'), true);
    assert.equal(agrees(passing, '39 of 42 tests passed.'), false);
    assert.equal(agrees(failing, '3 tests failed.'), true);
    assert.equal(firstLink([passing], 'Do all tests pass?'), undefined);
    assert.equal(agrees(run('npx eslint .'), 'There are no lint errors.'), true);
  });

  it('is not taken from a here-document', () => {
    const failing = step(
      1,
      { kind: 'command_run', command: 'npm test', exitCode: 1, stdout: '3 failed, 39 passed' },
      { status: 'failed' },
    );
    const writing = (command: string) => step(2, { kind: 'command_run', command, exitCode: 0 });
    for (const command of [
      "cat > ci.sh <<'EOF'\nset -euo pipefail\nnpm test\nEOF",
      'git commit -F - <<EOF\nDone\n\nnpm test is green\nEOF\ngit push',
      'cat <<-END > Makefile\n\tnpm test\n\tEND',
      'cat <<NEVER\nnpm test',
    ]) {
      const link = firstLink([failing, writing(command)], 'All tests pass.');
      const verdict = command.startsWith('git') || command.endsWith('NEVER\nnpm test') ? 'disagrees' : 'stale';
      assert.deepEqual([link?.source?.entryIndex, link?.judged?.verdict], [1, verdict], command);
    }
    assert.equal(doesRecordAgree(firstLink([run('cat <<EOF\nx\nEOF\nnpm test')], 'All tests pass.')), true);
  });

  it('is separate for each kind', () => {
    const printed = '✖ 5 problems (5 errors, 0 warnings)\nTests: 41 passed, 41 total';
    const both = run('npx eslint . | tail -3; npm test | tail -3', printed);
    assert.equal(agrees(both, 'ESLint passes.'), false);
    assert.equal(agrees(both, 'All 41 tests pass.'), true);
    const failing = run('npm test; npx eslint .', 'Tests: 3 failed, 39 passed, 42 total');
    assert.equal(agrees(failing, 'All tests pass.'), false);
    assert.equal(agrees(failing, 'ESLint passes.'), true);
    assert.equal(agrees(run('npm test', '', 0), '3 of 42 tests failed.'), false);
    assert.equal(agrees(run('npm test', '', 0), '39 of 42 tests passed.'), undefined);
  });

  it('is claimed even if an unrelated question follows', () => {
    const passing = run('npm test', 'Tests: 42 passed, 42 total');
    for (const answer of ['All 42 tests pass — should I commit?', 'All 42 tests pass, shall I commit?']) {
      assert.equal(agrees(passing, answer), true, answer);
    }
  });

  it('keeps brackets that belong to the command', () => {
    const link = firstLink([run('(cd /app && docker rm $(docker ps -aq))')], 'I ran `docker rm $(docker ps -aq)`.');
    assert.equal(link?.status, 'found');
  });
});

describe('a step that cannot be a source', () => {
  const failed = (index: number, action: ToolAction, text = '') =>
    step(index, action, { status: 'failed', result: { text, isError: true } });
  const status = (steps: readonly NormalizedEntry[], content: string) => firstLink(steps, content)?.status;

  it('failed to read or fetch what it names', () => {
    const read = failed(1, { kind: 'file_read', path: 'src/none.ts' }, 'ENOENT: no such file');
    assert.equal(status([read], 'I reviewed `src/none.ts`.'), 'not_found');
    assert.equal(status([read], 'There is no `src/none.ts`.'), 'found');
    const cat = run('cat src/none.ts', 'cat: src/none.ts: No such file or directory', 1);
    assert.equal(status([cat], 'I reviewed `src/none.ts`.'), 'not_found');
    assert.equal(status([cat], '`src/none.ts` does not exist.'), 'found');
    const fetched = failed(1, { kind: 'web_fetch', url: 'https://x.example/a', status: 404 });
    assert.equal(status([fetched], 'According to https://x.example/a it is so.'), 'not_found');
    assert.equal(status([fetched], 'https://x.example/a could not be fetched (404).'), 'found');
    const refused = step(1, { kind: 'web_fetch', url: 'https://x.example/a', status: 404 });
    assert.equal(status([refused], 'According to https://x.example/a it is so.'), 'not_found');
  });

  it('searched for an address and found nothing', () => {
    assert.equal(status([run('grep -rn https://x.example/a .', '', 1)], 'See https://x.example/a.'), 'not_found');
    const hit = run('grep -rn https://x.example/a .', 'a.md:3: https://x.example/a');
    assert.equal(status([hit], 'See https://x.example/a.'), 'found');
    assert.equal(status([run('curl -s https://x.example/a', 'text')], 'See https://x.example/a.'), 'found');
  });

  it('only read or named a file that the claim says was changed', () => {
    const read = step(1, { kind: 'file_read', path: 'src/a.ts' }, { result: { text: 'a\nb' } });
    assert.equal(status([read], 'I fixed `src/a.ts`.'), 'not_found');
    assert.equal(status([read], 'Ich habe `src/a.ts` geändert.'), 'not_found');
    const lint = run('npx eslint .', '/workspace/src/q.ts\n  1:1  error  x', 1);
    assert.equal(status([lint], 'I changed `src/q.ts`.'), 'not_found');
    const edit = step(1, { kind: 'file_edit', changes: [{ path: 'src/a.ts', kind: 'update' }] });
    assert.equal(status([edit], 'I fixed `src/a.ts`.'), 'found');
    assert.equal(status([run("sed -i 's/a/b/' src/a.ts")], 'I changed `src/a.ts`.'), 'found');
  });
});

describe('lines printed by a command', () => {
  const diff = 'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -40,3 +40,3 @@\n x\n-y\n+z\n w';
  const blame = '^abc1234 (Ada 2026-01-02 10:00:00 +0000 41) foo()\n^abc1234 (Ada 2026-01-02 10:00:00 +0000 42) bar()';
  for (const [command, output] of [
    ['grep -n foo src/a.ts', '42:foo()'],
    ['rg -n foo src/a.ts', '42:foo()'],
    ['cd src && grep -n foo a.ts', '42:foo()'],
    ['grep -n -A2 foo src/a.ts', '41:foo()\n42-bar()\n43-baz()'],
    ['rg -n -C1 foo', 'src/a.ts-42-bar()\nsrc/a.ts:43:foo()'],
    ['git diff', diff],
    ['git blame -L 41,42 src/a.ts', blame],
  ] as const) {
    it(`are seen: ${command}`, () => {
      const link = firstLink([run(command, output)], 'See `src/a.ts:42`.');
      assert.equal(link?.status, 'found');
      assert.equal(firstLink([run(command, output)], 'See `src/a.ts:90`.')?.status, 'not_found');
    });
  }

  it('may be numbered', () => {
    const evidence = evidenceFor(run('git diff', diff), '`src/a.ts:41`');
    assert.deepEqual([evidence.lines, evidence.originalText], [[40, 42], 'x\nz\nw']);
    assert.equal(evidenceFor(run('grep -n foo src/a.ts', '42:foo()'), '`src/a.ts:42`').originalText, 'foo()');
  });
});

it('a name with accents is the same in every Unicode form', () => {
  const read = step(1, { kind: 'file_read', path: 'src/u\u0308ber.ts' }, { result: { text: 'a\nb' } });
  assert.equal(firstLink([read], 'See `src/\u00fcber.ts`.')?.status, 'found');
});
