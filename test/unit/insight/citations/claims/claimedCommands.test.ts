import assert from 'node:assert/strict';
import { commandForms } from '../../../../../src/insight/citations/commands/commandForms.ts';
import { launchedCommand } from '../../../../../src/insight/citations/commands/launchers.ts';
import { linksOf } from '../../../../../src/insight/citations/links.ts';
import { programKind } from '../../../../../src/insight/citations/commands/programs.ts';
import { SessionEvidence } from '../../../../../src/insight/citations/sources/sessionEvidence.ts';
import { shellParts } from '../../../../../src/insight/citations/commands/shell.ts';
import type { EvidenceLink } from '../../../../../src/insight/citations/types.ts';
import { unwrapCommand } from '../../../../../src/insight/citations/commands/unwrapCommand.ts';
import { doesRecordAgree } from '../../../../support/evidence/agreement.ts';
import type { NormalizedEntry } from '../../../../../src/model/transcript/entry.ts';
import type { ToolAction } from '../../../../../src/model/transcript/tool.ts';
import { repeatTo } from '../../../../support/hostile/growing.ts';

const timestamp = '2026-11-20T10:00:00.000Z';

type Run = Partial<Extract<ToolAction, { kind: 'command_run' }>>;

function run(index: number, command: string, overrides: Run = {}): NormalizedEntry {
  const action: ToolAction = { kind: 'command_run', command, exitCode: 0, stdout: '', ...overrides };
  const status = action.exitCode === 0 ? 'success' : 'failed';
  const tool = { toolName: 'made', callId: `call_${index}`, action, status } as const;
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: '' };
}

function linksAfter(steps: readonly NormalizedEntry[], content: string): EvidenceLink[] {
  const session = new SessionEvidence('/workspace');
  for (const entry of steps) session.add(entry);
  return linksOf({ index: 1000, timestamp, type: { kind: 'assistant_message' }, content }, session);
}

describe('a command in a shell', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['bash -lc pytest', 'pytest'],
    ['/bin/bash -lc ls', 'ls'],
    ['bash -lc npm test', 'npm test'],
    [`bash -euo pipefail -c 'npm test'`, 'npm test'],
    [`"C:\\Program Files\\PowerShell\\7\\pwsh.exe" -Command 'npm test'`, 'npm test'],
    ['powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "npm test"', 'npm test'],
    ['pwsh -c "npm test"', 'npm test'],
    ['cmd /c npm test', 'npm test'],
    ['cmd.exe /d /s /c "npm test"', 'npm test'],
    [`bash -lc 'rg -n '"'"'TODO'"'"' src'`, `rg -n 'TODO' src`],
    [`bash -lc 'rg -n '\\''TODO'\\'' src'`, `rg -n 'TODO' src`],
    [`bash -c "echo \\"\\$HOME\\""`, 'echo "$HOME"'],
    [`bash -lc 'pytest -q' && echo done`, 'pytest -q && echo done'],
    ['bash script.sh -c x', 'bash script.sh -c x'],
    ['bash -n x.sh', 'bash -n x.sh'],
    ['bash -c', 'bash -c'],
  ];
  for (const [command, inner] of cases) {
    it(command, () => assert.equal(unwrapCommand(command), inner));
  }

  it('is found inside the program that runs it', () => {
    const bare: readonly (readonly [string, string])[] = [
      ['CI=1 FOO="a b" timeout -s KILL 60 npx --yes tsc -b', 'tsc -b'],
      ['python3 -X dev -m pytest -q', 'pytest -q'],
      ['docker compose -f ci.yml exec -T -u me app pytest', 'pytest'],
      ['uv run --with x pytest', 'pytest'],
      [`sudo bash -c 'npm test'`, 'npm test'],
      ['../app/node_modules/.bin/jest a', 'jest a'],
      ['yarn workspace web vitest run', 'vitest run'],
      ['time', 'time'],
      ['npx', 'npx'],
    ];
    for (const [command, inner] of bare) assert.equal(launchedCommand(command), inner, command);
  });

  it('is not a keyword of the shell', () => {
    const line = 'for a in b; do true; done # all\nif x; then y; else z; fi';
    const forms = commandForms(line, shellParts(line)).slice(1);
    for (const word of ['done', 'done # all', 'fi', 'true']) assert.ok(!forms.includes(word), word);
  });
});

describe('the kind of a command', () => {
  const kinds = {
    test: [
      '.venv/bin/python -m pytest -q',
      'pnpm -C web test',
      'pnpm --filter ui test',
      'python tests/test_a.py',
      'node test/run.js',
      './run_tests.sh',
      'bash scripts/test.sh',
      'docker compose exec -T app pytest',
      'docker run --rm -v .:/app img pytest',
      'venv/Scripts/python.exe -m pytest',
      'python3.11 -m pytest',
      'py -3 -m pytest',
      'uvx pytest',
      'uv run --with x pytest',
      'yarn workspace web test',
      'npm -w web test',
      'php artisan test',
      'bin/rails test',
      'python manage.py test',
      './gradlew :app:testDebug',
      'mvn -q verify',
      'lerna run test',
      'turbo run test',
      'nx run web:test',
      'npm run unit',
      'npm run ci:test',
      'FOO="a b" npm test',
      'if npm test',
      'nohup npm test',
      'ng test',
      'xcodebuild -scheme App test',
      'go -C x test',
      'cargo +nightly test',
      'make -C web test',
      'deno task test',
    ],
    check: [
      'npx @biomejs/biome check',
      'deno lint',
      'deno check',
      'ng lint',
      'next lint',
      'nx lint',
      'turbo run lint',
      'pnpm run typecheck',
      'uvx ruff check',
      'cargo -q check',
    ],
    build: [
      'tsc -b',
      'npm run build',
      './gradlew build -x test',
      'mvn package -DskipTests',
      'next build',
      'turbo run build',
      'make -j4',
      'make all',
      'make latest 2>&1',
    ],
    none: [
      'next dev',
      'vite',
      'cat test.sh',
      'bash -n test.sh',
      'jest --version',
      'node test/fixtures/make.js',
      'npm run contest',
      'npm install',
    ],
  };
  for (const [kind, commands] of Object.entries(kinds)) {
    it(`is ${kind}`, () => {
      for (const command of commands) assert.equal(programKind(command) ?? 'none', kind, command);
    });
  }

  it('depends on the output if the program belongs to the project', () => {
    const printed = { stdout: '\n12 passed, 0 failed\n' };
    const [link] = linksAfter([run(1, './verify-all', printed)], 'All 12 tests pass.');
    assert.deepEqual([link?.status, doesRecordAgree(link)], ['found', true]);
    for (const command of ['cat ci.log', 'gh run view 7', 'git show | ./colour'])
      assert.equal(linksAfter([run(1, command, printed)], 'All 12 tests pass.')[0]?.status, 'not_found', command);
  });

  it('has no outcome while it runs in the background', () => {
    const [link] = linksAfter([run(1, 'npm test', { background: true })], 'All tests pass.');
    assert.deepEqual([link?.status, doesRecordAgree(link)], ['found', undefined]);
    const printed = run(1, 'npm test', { background: true, stdout: '12 passed' });
    assert.equal(doesRecordAgree(linksAfter([printed], 'All tests pass.')[0]), true);
  });
});

describe('a claim that a command ran', () => {
  const same: readonly (readonly [ran: string, said: string])[] = [
    ['npx tsc --noEmit', 'tsc --noEmit'],
    ['tsc --noEmit', 'npx tsc --noEmit'],
    ['CI=1 npx eslint src', 'npx eslint src'],
    ['timeout 60 cargo test --all', 'cargo test --all'],
    ['python3 -m pytest -q tests', 'pytest -q tests'],
    ['python3 -m pytest -q tests', 'python -m pytest -q tests'],
    ['pytest -q', 'pytest'],
    ['make 2>&1', 'make'],
    ['make -j4 2>&1 | tail', 'make'],
    ['npm test 2>&1 | tail -20', 'npm test | tail -20'],
    ['npm test >/dev/null 2>&1', 'npm test'],
    ['npm run test', 'npm test'],
    ['cd web && CI=1 npx vitest run 2>&1 | tail -5', 'cd web && npx vitest run'],
    ['bash -lc pytest', 'pytest'],
  ];
  for (const [ran, said] of same) {
    it(`${said}, as ${ran}`, () => {
      const [link] = linksAfter([run(3, ran)], `I ran \`${said}\`.`);
      assert.deepEqual([link?.status, link?.source?.entryIndex], ['found', 3]);
    });
  }

  const others: readonly (readonly [ran: string, said: string])[] = [
    ['make lint', 'make'],
    ['cargo test', 'cargo build'],
    ['./a/run all', './b/run all'],
    ['npm test', 'npm run build'],
    ['pytest tests/a.py', 'pytest tests/b.py'],
  ];
  for (const [ran, said] of others) {
    it(`is not ${said}, where it was ${ran}`, () => {
      assert.equal(linksAfter([run(3, ran)], `I ran \`${said}\`.`)[0]?.status, 'not_found');
    });
  }

  it('may follow the command', () => {
    const words = ['was executed successfully.', 'succeeded.', 'wurde ausgeführt.', '✅'];
    for (const after of words) assert.equal(linksAfter([], `\`git push\` ${after}`)[0]?.status, 'not_found', after);
  });

  it('is found in a code block, without claims about its other commands', () => {
    const links = linksAfter([run(3, 'npm test')], 'Commands run:\n```bash\n$ npm test\n$ npm run lint\n```');
    assert.deepEqual(
      links.map(({ claim, source }) => [claim, source?.entryIndex]),
      [['npm test', 3]],
    );
  });

  it('is not every name of a program', () => {
    assert.deepEqual(linksAfter([run(3, 'eslint src')], 'The rule is one of `eslint`.'), []);
    assert.deepEqual(linksAfter([run(3, 'npm test || true')], 'The flag is `true`.'), []);
  });

  it('is found in lines designed to be slow to parse', () => {
    for (const piece of ['"\\', "'", '$ ', '-x ', 'FOO= ', 'npx ', 'a/', '>', 'bash -c "']) {
      const line = repeatTo(piece, 1_000_000);
      for (const command of [line, `bash -lc '${line}'`]) {
        assert.ok(programKind(unwrapCommand(command)) === undefined);
        assert.ok(commandForms(command.slice(0, 4096), shellParts(unwrapCommand(command))).length > 0);
      }
    }
  });
});
