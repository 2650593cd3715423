import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NormalizerContext } from '../../../../src/model/transcript/normalizer.ts';
import { asks, initialized, opened, stop, read, says, update } from '../../../support/captures/acpLines.ts';
import { readBy, type Read } from '../../../support/captures/agentCaptures.ts';
import { acp } from '../../../../src/agents/acp/adapter.ts';

/** `kind status-or-subtype-or-origin content` of each entry. */
function shown({ entries }: Read): string[] {
  return entries.map(({ type, content, origin }) => {
    const detail =
      type.kind === 'system_message'
        ? (type.subtype ?? '')
        : type.kind === 'tool_use'
          ? type.tool.status
          : type.kind === 'error'
            ? (type.error.code ?? '')
            : (origin ?? '');
    return `${type.kind} ${detail} ${content}`;
  });
}

describe('lines of the Agent Client Protocol', () => {
  it('skip the history that the record has, and show it if the record is empty', () => {
    const lines = [
      initialized,
      asks('Before?'),
      says('Before.'),
      { id: 1, result: { modes: {} } },
      says('Now.'),
      stop(),
    ];
    assert.deepEqual(shown(read(lines)).slice(0, 2), [
      'user_message replay Before?',
      'assistant_message replay Before.',
    ]);
    assert.equal(read(lines).facts.answer, 'Now.');
    const later = read(lines, { resume: 's', firstIndex: 5, prompt: 'Now?' });
    assert.deepEqual(
      shown(later).filter((entry) => !entry.startsWith('system_message')),
      ['assistant_message  Now.'],
    );
    assert.match(shown(later).join('\n'), /system_message replay .*shown above/);
    assert.equal(read(lines, { resume: 's', firstIndex: 1 }).entries[0]?.origin, 'replay');
  });

  it('distinguish history from new messages even if the load response is empty', () => {
    const history = read([initialized, asks('Before?'), says('Before.'), { id: 1, result: {} }, says('Now.'), stop()]);
    assert.equal(history.facts.answer, 'Now.');
    const none = read([initialized, { id: 1, result: null }, says('Now.'), stop()]);
    assert.equal(none.facts.answer, 'Now.');
    const login = read([
      initialized,
      { id: 1, result: {} },
      asks('Before?'),
      says('Old.'),
      { id: 2, result: {} },
      says('Now.'),
    ]);
    assert.equal(login.facts.answer, 'Now.');
  });

  it("never attribute the agent's words to the user", () => {
    const lines = [
      initialized,
      opened,
      asks('Look at ', { messageId: 'm' }),
      asks('the branch.', { messageId: 'm' }),
      says('Looking.'),
      asks('Yes, delete it.'),
      says('Deleting.'),
      update('user_message', { messageId: 'n', content: [{ type: 'text', text: 'I agree.' }] }),
      stop(),
    ];
    const said = (context: Partial<NormalizerContext>) =>
      shown(read(lines, context)).filter((entry) => entry.startsWith('user_message'));
    const others = (origin: string) => ['Yes, delete it.', 'I agree.'].map((text) => `user_message ${origin} ${text}`);
    assert.deepEqual(said({ prompt: 'Look at the branch.' }), others('system'));
    assert.deepEqual(said({}), ['user_message human Look at the branch.', ...others('human')]);
  });

  it('keep a text together around lines outside of the conversation', () => {
    const lines = [
      initialized,
      opened,
      says('one '),
      update('usage_update', { used: 1, size: 2 }),
      update('session_info_update', { title: 'T' }),
      update('current_mode_update', { currentModeId: 'plan' }),
      says('two'),
      stop(),
    ];
    const { entries, facts } = read(lines);
    assert.equal(facts.answer, 'one two');
    assert.equal(facts.permissionMode, 'plan');
    assert.equal(entries[0]?.metadata?.['title'], 'T');
    assert.equal(shown(read(lines))[2], 'system_message mode Mode: `plan`');
  });

  it('start a new entry for another message, and after a call', () => {
    const lines = [
      initialized,
      opened,
      says('one', { messageId: 'a' }),
      says('two', { messageId: 'b' }),
      update('tool_call', { toolCallId: 'c', title: 'Look', status: 'completed' }),
      says('three', { messageId: 'b' }),
      stop(),
    ];
    assert.deepEqual(
      shown(read(lines)).filter((entry) => !entry.startsWith('system_message')),
      ['assistant_message  one', 'assistant_message  two', 'tool_use success Look', 'assistant_message  three'],
    );
  });

  it('replace streamed text with the complete message', () => {
    const whole = (text: string) => update('agent_message', { messageId: 'a', content: [{ type: 'text', text }] });
    const lines = [initialized, opened, says('dra', { messageId: 'a' }), whole('final'), whole('final!'), stop()];
    assert.equal(read(lines).facts.answer, 'final!');
    assert.equal(read([initialized, opened, whole('only'), stop()]).facts.answer, 'only');
  });

  it('merge all updates of a call', () => {
    const permission = {
      id: 7,
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: { toolCallId: 'c', title: 'ls', kind: 'execute', status: 'pending' },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      },
    };
    const waiting = read([initialized, opened, permission]).updates.at(1);
    assert.ok(waiting?.op === 'put' && waiting.open === true && waiting.entry.type.kind === 'tool_use');
    assert.equal(waiting.entry.type.tool.status, 'created');
    assert.deepEqual(waiting.entry.metadata?.['permission'], {
      requestId: '7',
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    });
    const done = update('tool_call_update', {
      toolCallId: 'c',
      status: 'completed',
      rawOutput: { exit_code: 0 },
      content: [{ type: 'content', content: { type: 'text', text: 'app.js' } }],
    });
    const { entries } = read([initialized, opened, permission, done, stop()]);
    const [, call] = entries;
    assert.ok(call?.type.kind === 'tool_use');
    assert.deepEqual(call.type.tool.action, { kind: 'command_run', command: 'ls', exitCode: 0 });
    assert.deepEqual(call.type.tool.result, { text: 'app.js', data: { exit_code: 0 }, isError: false });
    assert.match(shown(read([initialized, opened, permission, stop()]))[1] ?? '', /^tool_use denied /);
    assert.match(shown(read([initialized, opened, permission, stop('cancelled')]))[1] ?? '', /^tool_use cancelled /);
  });

  it('never drop file changes', () => {
    const call = (fields: object) => update('tool_call_update', { toolCallId: 'c', ...fields });
    const lines = [
      initialized,
      opened,
      call({ kind: 'edit', status: 'pending', content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] }),
      call({ status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'no' } }] }),
    ];
    const tool = read(lines).entries[1]?.type;
    assert.ok(tool?.kind === 'tool_use' && tool.tool.action.kind === 'file_edit');
    assert.deepEqual(tool.tool.action.changes, [{ path: '/a', kind: 'update', oldText: 'x', newText: 'y' }]);
    assert.equal(tool.tool.result?.text, 'no');
  });

  it('join the output of a terminal, even within a character', () => {
    const bytes = Buffer.from('naïve 🚀\n');
    const piece = (from: number, to: number) =>
      update('terminal_output_chunk', { terminalId: 't', data: bytes.subarray(from, to).toString('base64') });
    const call = {
      toolCallId: 'c',
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: 't' }],
    };
    const lines = [
      initialized,
      opened,
      update('terminal_update', { terminalId: 't', command: 'say', cwd: '/workspace' }),
      update('tool_call_update', call),
      piece(0, 3),
      piece(3, 9),
      piece(9, bytes.length),
      update('terminal_update', { terminalId: 't', exitStatus: { exitCode: 1, signal: null } }),
      update('tool_call_update', { toolCallId: 'c', status: 'failed' }),
    ];
    const tool = read(lines).entries[1]?.type;
    assert.ok(tool?.kind === 'tool_use');
    assert.deepEqual(tool.tool.action, {
      kind: 'command_run',
      command: 'say',
      cwd: '/workspace',
      exitCode: 1,
      stdout: 'naïve 🚀\n',
    });
  });

  it('keep one plan per turn in one entry', () => {
    const plan = (status: string) => update('plan', { entries: [{ content: 'Look', status }] });
    const lines = [initialized, opened, plan('pending'), says('…'), plan('completed'), stop(), plan('pending'), stop()];
    assert.deepEqual(
      shown(read(lines)).filter((entry) => entry.startsWith('tool_use')),
      ['tool_use success - [x] Look', 'tool_use success - [ ] Look'],
    );
    assert.ok(
      !shown(read([initialized, opened, update('plan', { entries: [] }), stop()]))
        .join('')
        .includes('tool_use'),
    );
  });

  it("take decisions and terminal output from Vitrine's own lines", () => {
    const request = {
      id: 'r1',
      kind: 'permission',
      callId: 'c1',
      title: 'Do it',
      asked_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T00:10:00.000Z',
    };
    const decision = (by: string, kind: string) => ({
      type: 'decision',
      id: 'r1',
      decision: { by, at: '2026-01-01T00:00:01.000Z', answer: kind === 'allow' ? { kind, scope: 'once' } : { kind } },
    });
    const call = { toolCallId: 'c1', title: 'ls', kind: 'execute', rawInput: { command: 'ls' } };
    const statusAfter = (own: readonly object[], status: string, stopReason: string) => {
      const out = (message: object) =>
        ({ stream: 'stdout', text: JSON.stringify({ jsonrpc: '2.0', ...message }) }) as const;
      const client = (line: object) => ({ stream: 'client', text: JSON.stringify(line) }) as const;
      const before = [initialized, opened, update('tool_call', { ...call, status: 'pending' })].map(out);
      const after = [update('tool_call_update', { toolCallId: 'c1', status }), stop(stopReason)].map(out);
      const { entries } = readBy(acp, [...before, ...own.map(client), ...after]);
      const [tool] = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
      assert.ok(tool?.action.kind === 'command_run');
      return [tool.status, tool.action.stdout, tool.action.exitCode];
    };
    const asked = { type: 'request', request };
    assert.deepEqual(statusAfter([asked, decision('user', 'deny')], 'failed', 'end_turn'), [
      'denied',
      undefined,
      undefined,
    ]);
    assert.deepEqual(statusAfter([asked, decision('nobody', 'deny')], 'pending', 'cancelled')[0], 'denied');
    assert.deepEqual(statusAfter([asked, decision('withdrawn', 'deny')], 'pending', 'cancelled')[0], 'cancelled');
    assert.deepEqual(statusAfter([asked, decision('user', 'allow')], 'failed', 'end_turn')[0], 'failed');
    const shown = { type: 'tool_output', callId: 'c1', stdout: 'a\n', exitCode: 2 };
    assert.deepEqual(statusAfter([shown, { ...shown, stdout: 'b\n' }], 'completed', 'end_turn'), [
      'failed',
      'a\nb\n',
      2,
    ]);
  });

  it("end the turn at an error response, but not for Vitrine's own requests", () => {
    const error = (code: number, message: string) => ({ id: 9, error: { code, message } });
    const refused = read([initialized, opened, error(-32601, 'Method not found'), says('Hi'), stop()]);
    assert.deepEqual(
      refused.facts.reports.map(({ isError }) => isError),
      [false],
    );
    const failed = read([initialized, opened, says('Hi'), error(-32603, 'Internal error: API Error: 529 busy')]);
    assert.equal(shown(failed).at(-2), 'error overloaded Internal error: API Error: 529 busy');
    assert.equal(failed.facts.reports[0]?.isError, true);
    const unknown = read([initialized, error(-32603, 'Session not found')], { resume: 'x' });
    assert.equal(unknown.facts.unknownSession, true);
  });

  it('do not report an interruption if the agent was stopped after its turn', () => {
    const stopped = { code: null, signal: 'SIGTERM' };
    const idle = shown(read([initialized, opened, says('Hi'), stop()], {}, stopped));
    assert.ok(!idle.some((entry) => entry.includes('interrupted')), idle.join('\n'));
    assert.deepEqual(read([initialized, opened, says('Hi'), stop()], {}, stopped).facts.ended, {
      code: 0,
      signal: null,
    });
    const busy = shown(read([initialized, opened, says('Hi')], {}, stopped));
    assert.match(busy.at(-1) ?? '', /^system_message interrupted .*SIGTERM/);
  });

  it('of subagents are separate from the conversation', () => {
    const lines = [
      initialized,
      opened,
      update('subagent_update', { sessionId: 'kid', title: 'Helper' }),
      update('agent_message_chunk', { content: { type: 'text', text: 'From below.' } }, 'kid'),
      says('Done.'),
      stop(),
    ];
    const { entries, facts } = read(lines);
    assert.equal(facts.answer, 'Done.');
    assert.equal(entries.find(({ content }) => content === 'From below.')?.origin, 'subagent');
    assert.deepEqual(facts.sessionIds, ['s']);
    assert.equal(facts.sideCalls, 1);
  });

  it('give the same result however they are split', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), { maxLength: 6 }), (texts) => {
        const pieces = texts.flatMap((parts, id) => parts.map((text) => says(text, { messageId: `m${id}` })));
        const wholes = texts.map((parts, id) => says(parts.join(''), { messageId: `m${id}` }));
        const said = (lines: readonly object[]) => read([initialized, opened, ...lines, stop()]).facts.answer;
        assert.equal(said(pieces), said(wholes));
        assert.equal(said(pieces), texts.map((parts) => parts.join('')).join('\n\n'));
      }),
    );
  });

  it('produce the same call from one update or several', () => {
    const fields = {
      title: 'Look',
      kind: 'execute',
      name: 'shell',
      rawInput: { command: 'ls', cwd: '/workspace' },
      locations: [{ path: '/workspace/a', line: 3 }],
      rawOutput: { output: 'a', exit_code: 0 },
    };
    const keys = fc.shuffledSubarray(Object.keys(fields) as (keyof typeof fields)[], { minLength: 6 });
    const done = { status: 'completed' };
    const callOf = (updates: readonly object[]) => {
      const lines = updates.map((change) => update('tool_call_update', { toolCallId: 'c', ...change }));
      const type = read([initialized, opened, ...lines, stop()]).entries[1]?.type;
      assert.ok(type?.kind === 'tool_use');
      const { startedAt, endedAt, ...tool } = type.tool;
      assert.ok(startedAt !== undefined && endedAt !== undefined);
      return tool;
    };
    fc.assert(
      fc.property(keys, (order) => {
        const single = order.map((key) => ({ [key]: fields[key] }));
        assert.deepEqual(callOf([...single, done]), callOf([{ ...fields, ...done }]));
      }),
    );
  });

  it('of an unknown kind are kept', () => {
    const { entries, facts } = read([
      initialized,
      opened,
      update('from_the_future', { x: 1 }),
      { id: 4, method: 'no/such' },
    ]);
    assert.equal(facts.lines.unknown, 2);
    assert.match(entries.at(-1)?.metadata?.raw ?? '', /no\/such/);
  });
});
