import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { agentEnvironment } from '../../../../src/engine/process/agentEnvironment.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { ProgramFinder } from '../../../../src/engine/programs/programFinder.ts';
import { until } from '../../../support/until.ts';

describe('program', function () {
  if (process.platform === 'win32') return;
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-program-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  function install(folder: string, version: string, asked = '/dev/null'): string {
    mkdirSync(path.join(dir, folder), { recursive: true });
    const file = path.join(dir, folder, 'claude');
    writeFileSync(file, `#!/bin/sh\necho asked >> ${asked}\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
    return file;
  }
  const env = (change: Readonly<Record<string, string>> = {}) => ({ PATH: '/usr/bin:/bin', HOME: dir, ...change });

  it('uses the first one on the PATH, with its version', async () => {
    const file = install('a', '2.0.1');
    install('b', '2.0.2');
    const PATH = `relative:${dir}/none:${dir}/a:${dir}/b:/usr/bin:/bin`;
    const found = await new ProgramFinder().find(claudeCode, { env: env({ PATH }) });
    assert.ok(!EngineFailure.is(found));
    assert.deepEqual([found.path, found.version], [file, '2.0.1']);
  });

  it("asks the login shell for the user's PATH, ignoring other output", async () => {
    const file = install('mine', '2.0.3');
    writeFileSync(path.join(dir, '.profile'), `echo welcome\nPATH="$PATH:${dir}/mine"\n`);
    // A shell that takes longer than the finder waits for it is asked again.
    const found = await until('the program', async () => {
      const result = await new ProgramFinder().find(claudeCode, { env: env({ SHELL: '/bin/sh' }) });
      return !EngineFailure.is(result) && result;
    });
    assert.equal(found.path, file);
  });

  it('does not wait for a hanging shell', async function () {
    const shell = path.join(dir, 'shell');
    writeFileSync(shell, '#!/bin/sh\nsleep 1000 &\nsleep 1000\n', { mode: 0o755 });
    install('.local/bin', '2.0.4');
    const found = await new ProgramFinder().find(claudeCode, { env: env({ SHELL: shell }) });
    assert.ok(!EngineFailure.is(found));
    assert.equal(found.version, '2.0.4');
    assert.equal(found.tried.length, 3);
  });

  it('uses only an explicit path', async () => {
    install('a', '2.0.1');
    const request = { env: env({ PATH: `${dir}/a` }), explicitPath: path.join(dir, 'other') };
    const found = await new ProgramFinder().find(claudeCode, request);
    assert.ok(EngineFailure.is(found, 'program_not_executable'));
    assert.match(found.detail, /does not exist/);
    const relative = await new ProgramFinder().find(claudeCode, { env: env(), explicitPath: 'claude' });
    assert.ok(EngineFailure.is(relative, 'program_not_executable'));
  });

  it('asks for a version once, and again when the file changes', async () => {
    const asked = path.join(dir, 'asked');
    const file = install('a', '2.0.1', asked);
    const finder = new ProgramFinder();
    const find = async () => finder.find(claudeCode, { env: env(), explicitPath: file });
    await find();
    finder.refresh();
    await find();
    install('a', '2.10.11', asked);
    finder.refresh();
    const found = await find();
    assert.ok(!EngineFailure.is(found));
    assert.equal(found.version, '2.10.11');
  });

  it('is found but not started without permission, and asked as soon as it is allowed', async () => {
    const asked = path.join(dir, 'asked');
    const file = install('a', '2.0.1', asked);
    let trusted = false;
    const finder = new ProgramFinder(() => trusted);
    const find = async () => finder.find(claudeCode, { env: env(), explicitPath: file });
    assert.deepEqual(await find(), { path: file, tried: [file], version: null });
    assert.equal(await finder.isSignedIn(claudeCode, file, env()), undefined);
    assert.equal(existsSync(asked), false);
    trusted = true;
    const found = await find();
    assert.ok(!EngineFailure.is(found));
    assert.equal(found.version, '2.0.1');
  });
});

describe('environment', () => {
  it("excludes the host's own variables and those that agents set for their children", () => {
    const ours = {
      PATH: '/bin',
      HOME: '/home/u',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK_CLI: '/x',
      VSCODE_PID: '1',
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_API_KEY: 'secret',
      NODE_OPTIONS: '--require /ext/ms-vscode.js-debug/bootloader.js',
      VSCODE_NODE_OPTIONS: '--max-old-space-size=4096',
      VITRINE_RUN_ID: 'run_000000000000',
    };
    const environment = agentEnvironment(ours, claudeCode.ownVariables, { EXTRA: 'x' });
    assert.deepEqual(Object.keys(environment.variables).sort(), [
      'ANTHROPIC_API_KEY',
      'CLAUDE_CODE_USE_BEDROCK',
      'EXTRA',
      'HOME',
      'NODE_OPTIONS',
      'PATH',
    ]);
    assert.equal(environment.variables['NODE_OPTIONS'], '--max-old-space-size=4096');
    assert.deepEqual(environment.added, ['EXTRA']);
    assert.ok(environment.removed.includes('CLAUDECODE'));
    assert.ok(!JSON.stringify([environment.removed, environment.added]).includes('secret'));
  });
});
