import assert from 'node:assert/strict';
import { findAdapter } from '../../../src/agents/registry.ts';
import { readBy, type Read } from '../../support/captures/agentCaptures.ts';

/** What is said and given back as lists of blocks, or as objects, where most versions print a text. */

function read(type: string, ...lines: readonly object[]): Read {
  return readBy(
    findAdapter(type)!,
    lines.map((line) => ({ stream: 'stdout', text: JSON.stringify(line) })),
  );
}

const texts = ({ entries }: Read) =>
  entries.flatMap(({ type, content }) =>
    type.kind === 'assistant_message' || type.kind === 'thinking' ? [`${type.kind} ${content}`] : [],
  );
const tools = ({ entries }: Read) => entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
const results = (run: Read) => tools(run).map(({ result }) => result?.text);

const blocks = [
  { type: 'output_text', text: 'One, ' },
  { type: 'text', text: 'two' },
];

describe('content as blocks', () => {
  describe('of Codex', () => {
    const item = (type: string, fields: object) => ({ type: 'item.completed', item: { id: 'i', type, ...fields } });
    const started = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }];

    it('is the text of a message or thought', () => {
      assert.deepEqual(texts(read('codex', ...started, item('agent_message', { content: blocks }))), [
        'assistant_message One, two',
      ]);
      assert.deepEqual(
        texts(read('codex', ...started, item('reasoning', { summary: [{ type: 'summary_text', text: 'a' }, 'b'] }))),
        ['thinking a\n\nb'],
      );
      const old = { id: '1', msg: { type: 'agent_message', message: { content: 'x', text: 'Said.' } } };
      assert.deepEqual(texts(read('codex', old)), ['assistant_message Said.']);
    });

    it('is the result of an MCP server', () => {
      const call = (fields: object) =>
        results(read('codex', ...started, item('mcp_tool_call', { server: 's', tool: 't', ...fields })));
      assert.deepEqual(call({ result: 'plain' }), ['plain']);
      assert.deepEqual(call({ result: { content: blocks.slice(1) } }), ['two']);
      assert.deepEqual(call({ result: { other: 1 } }), ['{"other":1}']);
      assert.deepEqual(call({ error: 'gone', status: 'failed' }), ['gone']);
      assert.deepEqual(call({ result: null, error: { message: 'gone' }, status: 'failed' }), ['gone']);
    });

    it('is the list of changed files', () => {
      const [call] = tools(read('codex', ...started, item('file_change', { changes: { 'a.ts': { type: 'add' } } })));
      assert.deepEqual(call?.action, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'add' }] });
    });

    it('is the reason of a failure', () => {
      const failed = { type: 'turn.failed', error: { message: [{ text: 'Out of ' }, 'tea'] } };
      assert.deepEqual(read('codex', ...started, failed).facts.reports[0]?.errors, ['Out of tea']);
      for (const error of [{}, { message: '' }, { message: null }, null]) {
        const { errors } = read('codex', ...started, { type: 'turn.failed', error }).facts.reports[0]!;
        assert.match(errors[0] ?? '', /gave no reason/, JSON.stringify(error));
        const call = item('mcp_tool_call', { server: 's', tool: 't', result: 'plain', error });
        assert.deepEqual(results(read('codex', ...started, call)), ['plain']);
      }
    });
  });

  it('of Codex without ids has one entry per item', () => {
    const line = (type: string, item: object) => ({ type: `item.${type}`, item });
    const command = (content: string, fields: object = {}) => ({
      type: 'command_execution',
      command: content,
      ...fields,
    });
    const run = read(
      'codex',
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.started' },
      line('started', command('ls')),
      line('started', command('pwd')),
      line('completed', command('pwd', { aggregated_output: '/', exit_code: 0, status: 'completed' })),
      line('completed', command('ls', { aggregated_output: 'a', exit_code: 0, status: 'completed' })),
      line('started', { type: 'agent_message', text: 'Do' }),
      line('completed', { type: 'agent_message', text: 'Done.' }),
      line('completed', { type: 'agent_message', text: 'Done.' }),
    );
    assert.deepEqual(results(run), ['a', '/']);
    assert.deepEqual(texts(run), ['assistant_message Done.', 'assistant_message Done.']);
  });

  describe('of Copilot', () => {
    const event = (type: string, data: object) => ({ type, data, id: 'e', timestamp: '2026-01-02T10:00:00Z' });

    it('is the text of a message', () => {
      assert.deepEqual(texts(read('copilot', event('assistant.message', { messageId: 'm', content: blocks }))), [
        'assistant_message One, two',
      ]);
    });

    it('is the result of a tool', () => {
      const call = (result: unknown) =>
        results(
          read(
            'copilot',
            event('tool.execution_start', { toolCallId: 'c', toolName: 'view', arguments: { path: 'a' } }),
            event('tool.execution_complete', { toolCallId: 'c', success: true, result }),
          ),
        );
      assert.deepEqual(call({ content: [{ type: 'text', text: 'a' }, 'b'] }), ['a\nb']);
      assert.deepEqual(call([{ type: 'text', text: 'a' }]), ['a']);
      assert.deepEqual(call({ output: 'a' }), ['{"output":"a"}']);
      assert.deepEqual(call({ content: 'a', detailedContent: 'b' }), ['a']);
    });

    it('is shown once even if only its pieces, or only the whole, have an id', () => {
      const piece = (messageId: string | undefined) =>
        event('assistant.message_delta', { messageId, deltaContent: 'Half' });
      const whole = (messageId: string | undefined) => event('assistant.message', { messageId, content: 'Half of it' });
      for (const [a, b] of [['m', undefined] as const, [undefined, 'm'] as const, ['m', 'm'] as const]) {
        assert.deepEqual(texts(read('copilot', piece(a), whole(b))), ['assistant_message Half of it']);
      }
      assert.equal(texts(read('copilot', piece('m'), whole('n'))).length, 2);
    });
  });

  it('of Gemini is the result of a tool', () => {
    const call = (output: unknown) =>
      results(
        read(
          'gemini',
          { type: 'tool_use', tool_name: 'read_file', tool_id: 'c', parameters: {} },
          { type: 'tool_result', tool_id: 'c', status: 'success', output },
        ),
      );
    assert.deepEqual(call(['a', { text: 'b' }]), ['a\nb']);
    assert.deepEqual(call({ answer: 1 }), ['{"answer":1}']);
  });

  it('of Cursor is the result of a tool', () => {
    const call = (result: unknown) =>
      results(
        read('cursor', {
          type: 'tool_call',
          subtype: 'completed',
          call_id: 'c',
          tool_call: { mcpToolCall: { args: { name: 'x' }, result } },
        }),
      );
    assert.deepEqual(call('plain'), ['plain']);
    assert.deepEqual(call(['a', { text: 'b' }]), ['a\nb']);
    assert.deepEqual(call({ success: { content: [{ text: { text: 'a' } }, { text: 'b' }] } }), ['a\nb']);
  });

  it('of the Agent Communication Protocol is the content of a part', () => {
    const part = { content_type: 'application/json', content: { answer: 1 } };
    const run = read(
      'acp-http',
      { type: 'message.created', message: { role: 'agent' } },
      { type: 'message.part', part },
    );
    assert.match(texts(run)[0] ?? '', /\{"answer":1\}/);
  });
});
