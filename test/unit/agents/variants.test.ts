import assert from 'node:assert/strict';
import { findAdapter } from '../../../src/agents/registry.ts';
import { runResult } from '../../../src/insight/ledger/ledger.ts';
import { loadPrices } from '../../../src/insight/prices/prices.ts';
import { readBy, type Read } from '../../support/captures/agentCaptures.ts';

/** Lines as other versions could print them: what is known of it must not be lost, doubled or mixed up. */

function read(type: string, lines: readonly unknown[]): Read {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return readBy(
    findAdapter(type)!,
    texts.map((text) => ({ stream: 'stdout', text })),
  );
}

/** `kind content`, and of a tool `callId status content: result`. */
function shown({ entries }: Read): string[] {
  return entries.map(({ type, content }) =>
    type.kind === 'tool_use'
      ? `${type.tool.callId} ${type.tool.status} ${content}: ${type.tool.result?.text ?? ''}`
      : `${type.kind === 'system_message' ? (type.subtype ?? '') : type.kind} ${content}`,
  );
}

function spread(value: unknown): string[] {
  return JSON.stringify(value, undefined, 2).split('\n');
}

const geminiCall = (id: unknown, tool: string, parameters: object) => ({
  type: 'tool_use',
  tool_name: tool,
  tool_id: id,
  parameters,
});
const geminiResult = (id: unknown, output: string) => ({ type: 'tool_result', tool_id: id, status: 'success', output });
const command = (id: unknown, fields: object) => ({ id, type: 'command_execution', command: 'ls', ...fields });

describe('output variants of other versions', () => {
  it('keep two calls with the same id', () => {
    const result = read('gemini', [
      geminiCall('0', 'read_file', { file_path: 'a' }),
      geminiResult('0', 'A'),
      geminiCall('0', 'run_shell_command', { command: 'ls' }),
      geminiResult('0', 'B'),
    ]);
    assert.deepEqual(shown(result).slice(0, 2), ['0 success Read `a`: A', '0~2 success Run `ls`: B']);
  });

  it('keep calls of two conversations apart, and close those of the first', () => {
    const init = { type: 'system', subtype: 'init', session_id: 'c1', model: 'm' };
    const call = (subtype: string, result?: object) => ({
      type: 'tool_call',
      subtype,
      call_id: 't',
      tool_call: { readToolCall: { args: { path: 'a' }, ...(result !== undefined && { result }) } },
    });
    const result = read('cursor', [
      init,
      call('started'),
      { ...init, session_id: 'c2' },
      call('started'),
      call('completed', { success: { content: 'now' } }),
    ]);
    const calls = shown(result).filter((line) => line.startsWith('t'));
    assert.match(calls[0] ?? '', /^t cancelled .*another conversation began/s);
    assert.deepEqual(calls.slice(1), ['t~2 success Read `a`: now']);
    assert.deepEqual(result.facts.sessionIds, ['c1', 'c2']);
  });

  it('complete a call whose result came first', () => {
    const result = read('copilot', [
      { type: 'tool.execution_complete', data: { toolCallId: 't', result: { content: 'text' } } },
      { type: 'tool.execution_start', data: { toolCallId: 't', toolName: 'view', arguments: { path: 'a' } } },
    ]);
    assert.equal(shown(result)[0], 't success Read `a`: text');
  });

  it('match calls with numeric ids', () => {
    const result = read('codex', [
      { type: 'item.started', item: command(1, {}) },
      { type: 'item.completed', item: command(1, { exit_code: 0, aggregated_output: 'a' }) },
    ]);
    assert.deepEqual(shown(result), ['1 success Run `ls`: a']);
  });

  it('accept only known statuses as success', () => {
    const ended = (id: string, fields: object) => ({ type: 'item.completed', item: command(id, fields) });
    const result = read('codex', [
      ended('a', { status: 'timed_out' }),
      ended('b', { status: 'done', exit_code: 0 }),
      ended('c', { exit_code: 3 }),
      ended('d', {}),
    ]);
    const statuses = shown(result).map((line) => line.split(' ')[1]);
    assert.deepEqual(statuses, ['failed', 'success', 'failed', 'success']);
  });

  it('show a repeated message once', () => {
    const codex = { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'Done.' } };
    const again = { ...codex, item: { ...codex.item, id: 'item_2' } };
    assert.deepEqual(shown(read('codex', [{ type: 'turn.started' }, codex, codex])).slice(0, 1), [
      'assistant_message Done.',
    ]);
    assert.equal(read('codex', [codex, codex]).facts.answer, 'Done.');
    assert.equal(read('codex', [codex, again]).facts.answer, 'Done.\n\nDone.');
    const copilot = { type: 'assistant.message', data: { messageId: 'm', content: 'Done.', model: 'm' } };
    assert.equal(read('copilot', [copilot, copilot]).facts.answer, 'Done.');
  });

  it('show a message once if its pieces have no id', () => {
    const piece = (deltaContent: string) => ({ type: 'assistant.message_delta', data: { deltaContent } });
    const whole = { type: 'assistant.message', data: { messageId: 'm', content: 'Hello', model: 'm' } };
    assert.equal(
      shown(read('copilot', [piece('Hel'), piece('lo'), whole])).filter((line) => /Hel/.test(line)).length,
      1,
    );
  });

  it('parse numbers printed as text', () => {
    const usage = { input_tokens: '1200', cached_input_tokens: '800', output_tokens: '60' };
    const { facts } = read('codex', [{ type: 'turn.completed', usage }]);
    assert.deepEqual(facts.reports[0]?.usage, { input: 400, cacheRead: 800, output: 60 });
  });

  it('report no tokens and no model if the output has none', async () => {
    const { facts } = read('gemini', [{ type: 'result', status: 'success', stats: {} }]);
    assert.equal(facts.reports[0]?.usage, null);
    const prices = await loadPrices();
    const codex = read('codex', [{ type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 5 } }]);
    const { metadata } = runResult(codex.facts, { code: 0, signal: null }, [], { prices });
    assert.ok(metadata);
    assert.equal(metadata.model, null);
    assert.deepEqual(metadata.costProvenance, {
      provenance: 'unknown',
      reason: 'The agent did not report its model.',
    });
  });

  it('have the reason of a failure from the closing line', async () => {
    const said = { type: 'assistant.message', data: { messageId: 'm', content: 'Here you are.', model: 'm' } };
    const { facts } = read('copilot', [said, { type: 'result', exitCode: 1 }]);
    const { error } = runResult(facts, { code: 0, signal: null }, [], { prices: await loadPrices() });
    assert.equal(error, 'The run failed (exit code 1); the agent gave no reason.');
  });

  it('find the session id in the closing line', () => {
    const closing = { type: 'result', subtype: 'success', result: 'Hello', session_id: 'c1' };
    assert.deepEqual(read('cursor', [closing]).facts.sessionIds, ['c1']);
  });

  it('show a text of Claude Code once if its stream or its final line has no id', () => {
    const event = (fields: object) => ({ type: 'stream_event', session_id: 's', event: fields });
    const started = (id?: string) => event({ type: 'message_start', message: { ...(id !== undefined && { id }) } });
    const streamed = [
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'message_stop' }),
    ];
    const final = (id?: string) => ({
      type: 'assistant',
      session_id: 's',
      message: { ...(id !== undefined && { id }), role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    });
    for (const lines of [
      [...streamed, final('a')],
      [started(), ...streamed, final('a')],
      [started('a'), ...streamed, final()],
      [started('a'), final(), ...streamed.slice(3)],
    ]) {
      const said = read('claude-code', lines).entries.filter(({ type }) => type.kind === 'assistant_message');
      assert.deepEqual(
        said.map(({ content }) => content),
        ['Hello'],
        JSON.stringify(lines),
      );
    }
    const twice = read('claude-code', [started('a'), ...streamed, final('a'), started('b'), ...streamed, final('b')]);
    assert.equal(twice.facts.answer, 'Hello\n\nHello');
  });

  it('show an answer once if the closing line damages its characters', () => {
    const message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'Up 🚀 and away' }] };
    const closing = { type: 'result', subtype: 'success', session_id: 's', result: 'Up \uFFFD\uFFFD and away' };
    assert.equal(
      read('claude-code', [{ type: 'assistant', session_id: 's', message }, closing]).facts.answer,
      'Up 🚀 and away',
    );
    const other = { ...closing, result: 'Down \uFFFD and away' };
    assert.match(read('claude-code', [{ type: 'assistant', session_id: 's', message }, other]).facts.answer, /Down/);
  });

  it('recognize a limit by the reason of the end', async () => {
    const closing = { type: 'result', is_error: true, terminal_reason: 'max_turns', session_id: 's' };
    const { facts } = read('claude-code', [closing]);
    const { metadata } = runResult(facts, { code: 1, signal: null }, [], { prices: await loadPrices() });
    assert.equal(metadata?.isMaxTurns, true);
  });

  it('mark the estimate of an interrupted run as a lower bound', async () => {
    const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5', tools: [] };
    const usage = { input_tokens: 1000, output_tokens: 1 };
    const message = { id: 'a', model: 'claude-sonnet-4-5', content: [{ type: 'text', text: 'Hello' }], usage };
    const { facts } = read('claude-code', [init, { type: 'assistant', session_id: 's', message }]);
    const { metadata } = runResult(facts, { code: null, signal: 'SIGKILL' }, [], { prices: await loadPrices() });
    const cost = metadata?.costProvenance;
    assert.ok(cost?.provenance === 'estimated' && cost.usd > 0);
    assert.match(cost.reason ?? '', /was interrupted/);
  });

  describe('of the Agent Client Protocol', () => {
    const update = (fields: object) => ({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's', update: fields },
    });
    const opening = [
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1, agentCapabilities: {} } },
      { jsonrpc: '2.0', id: 1, result: { sessionId: 's' } },
    ];
    const ended = (stopReason: string) => ({ jsonrpc: '2.0', id: 2, result: { stopReason } });

    it('keep an answered call answered, whatever arrives later', () => {
      const call = (status: string) =>
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Look', status });
      const lines = [...opening, call('pending'), call('completed'), call('pending'), ended('end_turn')];
      assert.match(shown(read('acp', lines)).find((line) => line.startsWith('t ')) ?? '', /^t success/);
    });

    it('accept only known reasons as success', async () => {
      const { facts } = read('acp', [...opening, ended('out_of_credits')]);
      const { success, error } = runResult(facts, { code: 0, signal: null }, [], { prices: await loadPrices() });
      assert.equal(success, false);
      assert.match(error ?? '', /`out_of_credits`/);
    });

    it('report the currency of a cost that is not counted', async () => {
      const usage = update({ sessionUpdate: 'usage_update', used: 5, size: 100, cost: { amount: 2, currency: 'EUR' } });
      const { facts } = read('acp', [...opening, usage, ended('end_turn')]);
      const { metadata } = runResult(facts, { code: 0, signal: null }, [], { prices: await loadPrices() });
      assert.deepEqual(metadata?.costProvenance, {
        provenance: 'unknown',
        reason: 'The agent reported its cost in EUR, but Vitrine counts US dollars.',
      });
    });
  });

  for (const type of ['claude-code', 'cursor']) {
    it(`of ${type} are read where each is spread over many lines, or all are one list`, () => {
      const messages = [
        { type: 'system', subtype: 'init', session_id: 's1', model: 'm', tools: [] },
        { type: 'assistant', message: { id: 'a', content: [{ type: 'text', text: 'Hello {\n}' }] }, session_id: 's1' },
        { type: 'result', subtype: 'success', result: 'Hello {\n}', session_id: 's1' },
      ];
      const plain = shown(read(type, messages));
      assert.deepEqual(shown(read(type, messages.flatMap(spread))), plain);
      assert.deepEqual(shown(read(type, spread(messages))), plain);
      assert.deepEqual(shown(read(type, [messages])), plain);
      assert.deepEqual(shown(read(type, ['\uFEFF{', ...messages.flatMap(spread).slice(1)])), plain);
    });

    it(`of ${type} are read after a bracket that begins nothing`, () => {
      const closing = { type: 'result', subtype: 'success', result: 'Hello', session_id: 's1' };
      const { entries, facts } = read(type, ['{', '  "type": "assis', closing]);
      assert.equal(facts.answer, 'Hello');
      assert.deepEqual(facts.lines, { total: 3, unknown: 0, malformed: 2, oversize: 0 });
      assert.equal(entries.filter(({ metadata }) => metadata?.raw !== undefined).length, 2);
    });
  }
});
