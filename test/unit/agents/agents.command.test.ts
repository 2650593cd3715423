import assert from 'node:assert/strict';
import type { AgentOptions, CommandLine } from '../../../src/agents/adapter.ts';
import { findAdapter } from '../../../src/agents/registry.ts';
import { UnusableConversationIdError } from '../../../src/agents/shared/conversationId.ts';

const id = '01a1f877-019a-7c80-afab-627e56aae705';
const fresh = '0d4e1b5c-9f5a-4e46-8a4b-0f6c1d2e3f40';

function command(
  type: string,
  { version = null, resume, options = {} }: { version?: string | null; resume?: string; options?: AgentOptions } = {},
): CommandLine {
  const adapter = findAdapter(type)!;
  return adapter.command({
    prompt: 'Do it',
    options,
    program: { version },
    newSessionId: fresh,
    ...(resume !== undefined && { resume }),
  });
}

describe('command lines', () => {
  it('start Codex with the prompt on stdin', () => {
    const { args, stdin, sessionId, warnings } = command('codex', {
      options: { model: 'gpt-5.5', permissionMode: 'workspace-write' },
    });
    assert.equal(args.join(' '), 'exec --json --skip-git-repo-check --model=gpt-5.5 --sandbox workspace-write -');
    assert.deepEqual([stdin, sessionId, warnings], ['Do it', null, []]);
  });

  it('resume Codex with all options before the subcommand', () => {
    const { args, sessionId } = command('codex', {
      resume: id,
      options: { extraArgs: ['-c', 'model_reasoning_effort="high"'] },
    });
    assert.deepEqual(args, [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '-c',
      'model_reasoning_effort="high"',
      'resume',
      id,
      '-',
    ]);
    assert.equal(sessionId, id);
  });

  it('report that an old Codex cannot resume', () => {
    const { args, sessionId, warnings } = command('codex', { version: '0.20.0', resume: id });
    assert.ok(!args.includes('resume'));
    assert.equal(sessionId, null);
    assert.match(warnings[0] ?? '', /cannot resume/);
    const { capabilities, versionCapabilities } = findAdapter('codex')!;
    assert.ok(capabilities.resume.supported && versionCapabilities !== undefined);
    assert.equal(versionCapabilities('0.20.0').resume?.supported, false);
    assert.deepEqual(versionCapabilities('0.169.0'), {});
  });

  it('never resume with an id that looks like an option or a number', () => {
    for (const type of ['codex', 'gemini']) {
      for (const resume of ['latest', '1', 'not-a-uuid', `${id} --yolo`]) {
        assert.throws(() => command(type, { resume }), UnusableConversationIdError);
      }
    }
  });

  it('start and resume Gemini CLI', () => {
    const started = command('gemini', {
      version: '0.61.0',
      options: { permissionMode: 'yolo', model: 'gemini-2.5-pro' },
    });
    assert.equal(
      started.args.join(' '),
      `--output-format stream-json --skip-trust --session-id ${fresh} --model=gemini-2.5-pro --approval-mode yolo`,
    );
    assert.deepEqual([started.stdin, started.sessionId], ['Do it', fresh]);
    const resumed = command('gemini', { version: '0.30.0', resume: id });
    assert.equal(resumed.args.join(' '), `--output-format stream-json --resume ${id}`);
    assert.equal(resumed.sessionId, id);
  });

  it('start and resume Cursor with the prompt as the last argument', () => {
    const { args, stdin, sessionId } = command('cursor', {
      version: '2026.05.01-abc',
      resume: 'chat-1',
      options: { permissionMode: 'plan' },
    });
    assert.equal(
      args.join(' '),
      '-p --output-format stream-json --stream-partial-output --trust --resume=chat-1 --mode plan -- Do it',
    );
    assert.deepEqual([stdin, sessionId], [null, 'chat-1']);
    assert.ok(!command('cursor', { version: '2025.09.18-7ae6800' }).args.includes('--trust'));
  });

  it('warn about unsupported limits and modes', () => {
    for (const type of ['codex', 'gemini', 'cursor']) {
      const options = { maxTurns: 3, maxBudgetUsd: 1, appendSystemPrompt: 'Be brief.', permissionMode: 'unheard-of' };
      assert.equal(command(type, { options }).warnings.length, 4, type);
      assert.deepEqual(command(type, { options: { permissionMode: 'default' } }).warnings, []);
    }
  });

  it('parse version outputs', () => {
    const versions = { codex: 'codex-cli 0.169.0\n', gemini: '0.61.0\n', cursor: '2025.09.18-7ae6800\n' };
    for (const [type, printed] of Object.entries(versions)) {
      const version = findAdapter(type)?.parseVersion(printed);
      assert.ok(version !== null && version !== undefined && printed.includes(version), type);
      assert.equal(findAdapter(type)?.parseVersion('command not found'), null);
    }
  });

  it('interpret what Codex reports about a login', () => {
    const { login } = findAdapter('codex')!;
    assert.ok(login);
    assert.deepEqual(login.args, ['login', 'status']);
    assert.equal(login.parseSignedIn('\nLogged in using an API key - sk-***\n'), true);
    assert.equal(login.parseSignedIn('Not logged in\n'), false);
    assert.equal(login.parseSignedIn('Error loading configuration: No such file or directory'), undefined);
  });
});
