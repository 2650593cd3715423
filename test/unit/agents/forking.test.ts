import assert from 'node:assert/strict';
import { claudeCode } from '../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../src/agents/codex/adapter.ts';
import { capabilitiesOf } from '../../../src/agents/adapter.ts';
import { canFork, findForkPlace } from '../../../src/agents/shared/forking.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { said } from '../../support/sessions/madeEntries.ts';

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

  it('is separate in Codex, and absent in versions without it', () => {
    const { args, sessionId } = codex.command(request('0.169.0'));
    assert.deepEqual(args.slice(-3), ['fork', id, '-']);
    assert.equal(sessionId, null);
    const old = codex.command(request('0.77.0'));
    assert.ok(!old.args.includes(id));
    assert.deepEqual(old.warnings, ['Codex 0.77.0 cannot fork a thread; it begins a new conversation.']);
  });

  it('leaves out the end of the conversation', () => {
    const { args } = claudeCode.command({ ...request('2.1.328'), forkAt: 'last' });
    assert.deepEqual(args.slice(args.indexOf('--resume')).slice(0, 5), [
      '--resume',
      id,
      '--fork-session',
      '--resume-session-at',
      'last',
    ]);
    const app = codex.command({ ...request('0.169.0'), forkAt: 'last' });
    assert.deepEqual(app.args, ['app-server']);
    assert.ok(app.dialogue !== undefined, 'only the app-server can do that');
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

describe('the place of a fork', () => {
  const marked = (index: number, text: string, own: Record<string, string | null>): NormalizedEntry => ({
    ...said(index, text, 'user_message'),
    metadata: { sessionId: 's', ...own },
  });
  const compacted = (index: number): NormalizedEntry => ({
    ...said(index, 'Conversation compacted'),
    type: { kind: 'system_message', subtype: 'compact_boundary' },
  });

  it('is the message before the prompt in Claude Code', () => {
    const entries = [
      marked(0, 'First', { parentUuid: null }),
      said(1, 'Answer'),
      marked(2, 'Note.\n\nAgain', { parentUuid: 'a' }),
      marked(3, 'Again', { parentUuid: 'b' }),
    ];
    assert.deepEqual(findForkPlace(entries, ['First', 'Again', 'Again']), { entry: 0, last: null });
    assert.deepEqual(findForkPlace(entries, ['Again', 'Again']), { entry: 2, last: 'a' });
    assert.deepEqual(findForkPlace(entries, ['Again']), { entry: 3, last: 'b' });
    assert.equal(findForkPlace(entries, ['Something else']), undefined);
    assert.equal(findForkPlace(entries, ['']), undefined);
    assert.equal(findForkPlace([...entries, compacted(4)], ['Again']), undefined, 'the agent has only a summary');
  });

  it('is the turn before the prompt in Codex, which has no part of a turn', () => {
    const entries = [
      marked(0, 'First', { turnId: 't1' }),
      marked(1, 'During it', { turnId: 't1' }),
      marked(2, 'Second', { turnId: 't2' }),
    ];
    assert.deepEqual(findForkPlace(entries, ['First', 'During it', 'Second']), { entry: 0, last: null });
    assert.equal(findForkPlace(entries, ['During it', 'Second']), undefined);
    assert.deepEqual(findForkPlace(entries, ['Second']), { entry: 2, last: 't1' });
    assert.equal(findForkPlace([said(0, 'First', 'user_message')], ['First']), undefined, 'an older version');
  });
});
