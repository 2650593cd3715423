import assert from 'node:assert/strict';
import type { CommandRequest } from '../../../../src/agents/adapter.ts';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { adapters, findAdapter } from '../../../../src/agents/registry.ts';

const command = (version: string | null, request: Partial<CommandRequest> = {}) =>
  claudeCode.command({ prompt: 'Hi', options: {}, newSessionId: 'new-id', ...request, program: { version } });

const always = ['-p', '--output-format', 'stream-json', '--verbose'];

describe('command line of Claude Code', () => {
  it('passes the prompt on stdin, whatever it starts with', () => {
    for (const prompt of ['Hi', '--help', '/cost', '-']) {
      const { args, stdin } = command('2.1.328', { prompt });
      assert.equal(stdin, prompt);
      assert.ok(!args.includes(prompt));
    }
  });

  it("uses the version's options", () => {
    assert.deepEqual(command('2.1.328').args, [...always, '--include-partial-messages', '--session-id', 'new-id']);
    assert.deepEqual(command('2.0.77').args, command('2.1.328').args);
    assert.deepEqual(command(null).args, command('2.1.328').args);
    assert.deepEqual(command('1.0.3').args, always);
    assert.deepEqual(command('1.0.128').sessionId, 'new-id');
    assert.equal(command('1.0.3').sessionId, null);
  });

  it('resumes, and predicts the id if the version keeps it', () => {
    const resumed = command('2.1.328', { resume: 'old-id' });
    assert.deepEqual(resumed.args, [...always, '--include-partial-messages', '--resume', 'old-id']);
    assert.equal(resumed.sessionId, 'old-id');
    assert.equal(command('1.0.122', { resume: 'old-id' }).sessionId, null);
  });

  const options = {
    model: 'sonnet',
    permissionMode: 'acceptEdits',
    maxTurns: 3,
    maxBudgetUsd: 0.5,
    appendSystemPrompt: '- Be kind',
    extraArgs: ['--add-dir', 'x'],
  };

  it('passes the requested options', () => {
    const { args, warnings } = command('2.1.328', { options });
    assert.deepEqual(args.slice(7), [
      ...['--model', 'sonnet', '--permission-mode', 'acceptEdits', '--max-turns', '3', '--max-budget-usd', '0.5'],
      ...['--append-system-prompt=- Be kind', '--add-dir', 'x'],
    ]);
    assert.deepEqual(warnings, []);
  });

  it('passes remaining limits that Vitrine enforces, without warnings', () => {
    const limits = { turns: 2, usd: 0.25 };
    const of = (version: string, options = {}, overrides = {}) =>
      claudeCode.command({ prompt: 'x', options, limits, program: { version }, newSessionId: 'new', ...overrides });
    const flags = ({ args }: { args: readonly string[] }) => args.slice(args.indexOf('--max-turns'));
    assert.deepEqual(flags(of('2.1.328')), ['--max-turns', '2', '--max-budget-usd', '0.25']);
    assert.deepEqual(flags(of('2.1.328', {}, { resume: 'old' })), ['--max-turns', '2', '--max-budget-usd', '0.25']);
    assert.deepEqual(flags(of('2.1.328', { maxTurns: 1, maxBudgetUsd: 9 })), [
      '--max-turns',
      '1',
      '--max-budget-usd',
      '0.25',
    ]);
    const older = of('2.0.20');
    assert.deepEqual([flags(older), older.warnings], [['--max-turns', '2'], []]);
  });

  it('warns about unsupported options, and runs without them', () => {
    const { args, warnings } = command('1.0.3', { options });
    assert.deepEqual(args, [...always, '--model', 'sonnet', '--max-turns', '3', '--add-dir', 'x']);
    assert.equal(warnings.length, 3);
  });

  it('bypasses permissions only on request', () => {
    const flags = (permissionMode?: string) =>
      command('2.1.328', { options: permissionMode === undefined ? {} : { permissionMode } }).args.slice(7);
    assert.deepEqual(flags(), []);
    assert.deepEqual(flags('default'), []);
    assert.deepEqual(flags('plan'), ['--permission-mode', 'plan']);
    assert.deepEqual(flags('bypassPermissions'), ['--dangerously-skip-permissions']);
  });

  it('reads the version', () => {
    assert.equal(claudeCode.parseVersion('2.1.328 (Claude Code)\n'), '2.1.328');
    assert.equal(claudeCode.parseVersion('git version 2.39.5'), null);
  });

  it("removes variables of a parent Claude Code, but not the user's", () => {
    const dropped = (name: string) => claudeCode.ownVariables.some((pattern) => pattern.test(name));
    for (const name of ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID']) {
      assert.ok(dropped(name), name);
    }
    for (const name of [
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CONFIG_DIR',
      'ANTHROPIC_BASE_URL',
      'PATH',
    ]) {
      assert.ok(!dropped(name), name);
    }
  });

  it('is found by its type', () => {
    assert.equal(findAdapter('claude-code'), claudeCode);
    assert.equal(findAdapter('nobody'), undefined);
    assert.ok(adapters.includes(claudeCode));
  });
});
