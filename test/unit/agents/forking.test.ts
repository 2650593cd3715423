import assert from 'node:assert/strict';
import { claudeCode } from '../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../src/agents/codex/adapter.ts';
import { capabilitiesOf } from '../../../src/agents/adapter.ts';
import { canFork } from '../../../src/agents/shared/forking.ts';

const id = '1804cb77-68a7-423d-8f02-b53f738f9e12';

describe('the command of a fork', () => {
  const request = (version: string | null) => ({
    prompt: 'Go on',
    options: {},
    program: { version },
    resume: id,
    fork: true,
    newSessionId: '00000000-0000-4000-8000-000000000000',
  });

  it('keeps the original conversation of Claude Code', () => {
    const { args, sessionId } = claudeCode.command(request('2.1.328'));
    assert.deepEqual(args.slice(args.indexOf('--resume')).slice(0, 3), ['--resume', id, '--fork-session']);
    assert.equal(sessionId, null);
    // Each resume gives a new conversation there.
    assert.ok(!claudeCode.command(request('1.0.3')).args.includes('--fork-session'));
  });

  it('is a separate one in Codex, and missing if the version has none', () => {
    const { args, sessionId } = codex.command(request('0.169.0'));
    assert.deepEqual(args.slice(-3), ['fork', id, '-']);
    assert.equal(sessionId, null);
    const old = codex.command(request('0.77.0'));
    assert.ok(!old.args.includes(id));
    assert.deepEqual(old.warnings, ['Codex 0.77.0 cannot fork a thread; it begins a new conversation.']);
  });

  it('exists for the agents that support it', () => {
    assert.equal(canFork('claude-code', '2.1.328'), true);
    assert.equal(canFork('codex', null), true);
    assert.equal(canFork('codex', '0.77.0'), false);
    assert.equal(canFork('copilot', '1.0.102'), false);
    for (const [adapter, version] of [
      [claudeCode, '2.1.328'],
      [codex, '0.169.0'],
      [codex, '0.77.0'],
      [codex, '0.20.0'],
    ] as const)
      assert.equal(capabilitiesOf(adapter, version).fork.supported, canFork(adapter.type, version), version);
  });
});
