import assert from 'node:assert/strict';
import { linksOf } from '../../../../../src/insight/citations/links.ts';
import { SessionEvidence } from '../../../../../src/insight/citations/sources/sessionEvidence.ts';
import type { EvidenceLink } from '../../../../../src/insight/citations/types.ts';
import { doesRecordAgree } from '../../../../support/evidence/agreement.ts';
import type { NormalizedEntry } from '../../../../../src/model/transcript/entry.ts';
import type { ToolAction } from '../../../../../src/model/transcript/tool.ts';

const timestamp = '2026-11-20T10:00:00.000Z';

function run(index: number, command: string, stdout = '', exitCode = 0): NormalizedEntry {
  const action: ToolAction = { kind: 'command_run', command, exitCode, stdout };
  const tool = {
    toolName: 'made',
    callId: `c${index}`,
    action,
    status: exitCode === 0 ? 'success' : 'failed',
  } as const;
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: '' };
}

function linksAfter(steps: readonly NormalizedEntry[], content: string): EvidenceLink[] {
  const session = new SessionEvidence('/workspace');
  for (const entry of steps) session.add(entry);
  return linksOf({ index: 1000, timestamp, type: { kind: 'assistant_message' }, content }, session);
}

const counted = run(1, 'npm test', 'Tests: 12 passed, 12 total');
const failing = run(1, 'npm test', 'Tests: 2 failed, 10 passed, 12 total', 1);

describe('a claimed outcome of tests', () => {
  const all = [
    'Tests: 12 passed, 0 failed.',
    '**Tests:** 12/12 passing',
    'Test results: 12/12 passing',
    '- **Tests**: passing ✅',
    'Tests: ✅ 12 passed',
    '| Tests | 12 passed |',
    'Tests – all green',
    '12 tests, 0 failures',
    '12 tests, all passing',
    'There are no failing tests.',
    'No test failures.',
    'I ran the tests and they pass.',
    'I reran the whole test suite and everything passes.',
    'The tests completed successfully.',
    'The test run was successful.',
    'Alle Tests erfolgreich.',
    'Die Tests wurden erfolgreich ausgeführt.',
    'Die Tests liefen alle durch.',
    'Keine fehlgeschlagenen Tests.',
    '`npm test`: 12 passed',
    '`npm test` → 12 passed',
    '`npm test` (12 passed)',
    '`npm test` exited with code 0.',
    '`npm test` ran successfully.',
    'npm test passes.',
    'npm run test exited with code 0.',
    'npm test: 12 passed',
    '`npm test` exits 0',
    'Result: 12 passed, 0 failed.',
    'All 12 passed.',
    '- tests ✅',
    'Unit tests: 12/12 ✅',
    'Tests laufen fehlerfrei.',
  ];
  for (const said of all) {
    it(said, () => {
      const ran = (step: NormalizedEntry) =>
        linksAfter([step], said).map((link) => [link.status, doesRecordAgree(link)]);
      assert.deepEqual(ran(counted), [['found', true]]);
      assert.deepEqual(ran(failing), [['found', false]]);
      const [link, ...others] = linksAfter([run(1, 'ls')], said);
      assert.deepEqual([link?.status, link?.reason, others.length], ['not_found', 'no_matching_command', 0]);
    });
  }

  it('may cover some tests, or count the failed ones', () => {
    const failed = [
      'Tests: 10 passed, 2 failed',
      'Tests: 2 failed, 10 passed',
      '12 tests, 2 failures',
      '`npm test`: 10 passed, 2 failed',
    ];
    for (const said of [...failed, '`npm test` exited with code 1', '10/12 tests passing', 'Tests: 10/12 passing']) {
      assert.deepEqual([doesRecordAgree(linksAfter([failing], said)[0])], [true], said);
      assert.notEqual(doesRecordAgree(linksAfter([counted], said)[0]), true, said);
    }
    for (const said of [
      '`npm test`: 13 passed',
      '`npm test` → 13 passed',
      'Tests: 13/13 passing',
      '13 tests, 0 failures',
    ])
      assert.equal(doesRecordAgree(linksAfter([counted], said)[0]), false, said);
  });

  it('does not include what tests are, how long they take, or what they should do', () => {
    for (const said of [
      'New tests: failing logins and expired tokens.',
      'The tests: passing a constant makes them stable.',
      'TypeScript compiles to JavaScript.',
      'Make sure there are no failing tests before you merge.',
      'We want to make tests pass.',
      'I added 12 tests and 3 helpers.',
      'Lint: see the notes.',
      'Tests: pass `--watch` to rerun.',
      'Tests: not run.',
      'If the test run was successful, tag it.',
    ])
      assert.deepEqual(linksAfter([counted], said), [], said);
  });
});

describe('a claimed outcome of a build or a check', () => {
  const cases: readonly (readonly [ran: string, said: string])[] = [
    ['npx tsc --noEmit', 'TypeScript compiles without errors.'],
    ['npx tsc --noEmit', 'tsc --noEmit passes.'],
    ['npx tsc --noEmit', 'Compilation succeeds.'],
    ['npx tsc --noEmit', 'Type check: ✅'],
    ['npm run build', 'Compilation succeeds.'],
    ['npm run build', '- **Build**: ✅ success'],
    ['npm run lint', 'Lint läuft fehlerfrei.'],
    ['npm run lint', '- Lint: no errors'],
    ['npx eslint .', 'ESLint: 0 errors'],
    ['npx eslint .', 'lint ✅'],
    ['npx eslint .', 'I ran the linter and it passes.'],
    ['npx eslint .', '`npx eslint .` — no errors'],
  ];
  for (const [ran, said] of cases) {
    it(said, () => {
      const shown = (step: NormalizedEntry) =>
        linksAfter([step], said).map((link) => [link.status, doesRecordAgree(link)]);
      assert.deepEqual(shown(run(1, ran)), [['found', true]]);
      assert.deepEqual(shown(run(1, ran, '', 2)), [['found', false]]);
      assert.deepEqual(shown(run(1, 'ls')), [['not_found', undefined]]);
    });
  }
});

describe('a command in prose', () => {
  it('does not apply to the object of its sentence', () => {
    const [link] = linksAfter([counted], '`npm test` passes the flag on.');
    assert.deepEqual([link?.kind, doesRecordAgree(link)], ['command', undefined]);
  });

  it('is not another program with a similar name', () => {
    for (const said of ['cargo test passes.', 'go test passes.', 'Cargo test passes.', 'pnpm run test is green.'])
      assert.equal(linksAfter([run(1, 'npm test')], said)[0]?.status, 'not_found', said);
    assert.equal(linksAfter([run(1, 'cargo build')], 'go build succeeds.')[0]?.status, 'not_found');
    assert.equal(doesRecordAgree(linksAfter([run(1, 'cargo test --all')], 'cargo test passes.')[0]), true);
  });

  it('is judged together with the other items of its list', () => {
    const steps = [run(1, 'npm test'), run(2, 'cargo build'), run(3, 'cargo test', '', 101), run(4, 'cargo clippy')];
    const reported = (said: string) =>
      linksAfter(steps, said).map((link) => [link.source?.entryIndex, doesRecordAgree(link)]);
    assert.deepEqual(reported('`cargo build` and `cargo test` both pass.'), [
      [2, true],
      [3, false],
    ]);
    assert.deepEqual(reported('`npm test`, `cargo build` and `cargo clippy` all pass.'), [
      [1, true],
      [2, true],
      [4, true],
    ]);
    assert.deepEqual(reported('`npm test` passes and `cargo test` fails.'), [
      [1, true],
      [3, true],
    ]);
  });
});
