import assert from 'node:assert/strict';
import { findAdapter } from '../../../src/agents/registry.ts';
import { utf8, bytesOf } from '../../../src/model/text/bytes.ts';
import type { NormalizerContext, OutputLine } from '../../../src/model/transcript/normalizer.ts';
import type { ExitInfo } from '../../../src/model/usage/facts.ts';
import { readBy, type Read } from '../../support/captures/agentCaptures.ts';

function read(type: string, lines: readonly unknown[], exit?: ExitInfo, context?: Partial<NormalizerContext>): Read {
  const output: OutputLine[] = lines.map((line) => ({ stream: 'stdout', text: JSON.stringify(line) }));
  return readBy(findAdapter(type)!, output, exit, context);
}

/** `kind subtype-or-status content` of each entry. */
function shown({ entries }: Read): string[] {
  return entries.map(({ type, content }) => {
    const detail =
      type.kind === 'system_message'
        ? (type.subtype ?? '')
        : type.kind === 'tool_use'
          ? type.tool.status
          : type.kind === 'error'
            ? (type.error.code ?? '')
            : '';
    return `${type.kind} ${detail} ${content}`;
  });
}

const thread = { type: 'thread.started', thread_id: 'thread-1' };
const turn = { type: 'turn.started' };
const event = (type: string, fields: object = {}) => ({ id: '1', msg: { type, ...fields } });

describe('lines of Codex', () => {
  it('treat an end without a closing line as an interruption, whatever the exit code', () => {
    const command = { id: 'item_0', type: 'command_execution', command: 'sleep 9', status: 'in_progress' };
    const result = read('codex', [thread, turn, { type: 'item.started', item: command }], { code: 1, signal: null });
    assert.match(shown(result).at(-1) ?? '', /^system_message interrupted .*exit code 1/);
    assert.match(shown(result)[1] ?? '', /^tool_use cancelled Run `sleep 9`/);
  });

  it('warn if another thread started than the requested one', () => {
    const result = read('codex', [thread, turn], undefined, { resume: 'thread-0' });
    assert.match(shown(result)[1] ?? '', /^system_message warning .*thread-0.*thread-1/);
    assert.equal(result.facts.warnings.length, 1);
    assert.deepEqual(read('codex', [thread, turn], undefined, { resume: 'thread-1' }).facts.warnings, []);
  });

  it('have no metadata before the first line that carries it', () => {
    const { entries } = read('codex', [{ type: 'error', message: 'Reconnecting... 1/5' }, thread]);
    assert.equal(entries[0]?.metadata, undefined);
    assert.deepEqual(entries[1]?.metadata, { sessionId: 'thread-1', model: null });
  });

  it('keep an updated item in one entry, even if it never completes', () => {
    const result = read('codex', [
      thread,
      turn,
      { type: 'item.started', item: { id: 'item_0', type: 'agent_message', text: 'Ha' } },
      { type: 'item.updated', item: { id: 'item_0', type: 'agent_message', text: 'Half' } },
    ]);
    assert.equal(shown(result)[1], 'assistant_message  Half');
    assert.deepEqual(result.open, []);
    assert.equal(result.facts.answer, 'Half');
  });

  it('of the old format with deltas, totals and base64 show everything once', () => {
    const usage = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 10, total_tokens: 110 };
    const result = read('codex', [
      event('session_configured', { session_id: 'conv-1', model: 'gpt-5-codex' }),
      event('task_started'),
      event('agent_reasoning_delta', { delta: 'Let me ' }),
      event('agent_reasoning_delta', { delta: 'see.' }),
      event('agent_reasoning', { text: 'Let me see.' }),
      event('exec_command_begin', { call_id: 'c1', command: ['bash', '-lc', 'echo "é"'], cwd: '/workspace' }),
      event('exec_command_output_delta', { call_id: 'c1', stream: 'stdout', chunk: 'w6kK' }),
      event('token_count', { info: { total_token_usage: usage, last_token_usage: usage }, rate_limits: null }),
      event('token_count', { info: { total_token_usage: usage, last_token_usage: usage }, rate_limits: {} }),
      event('token_count', { info: null }),
      event('agent_message_delta', { delta: 'Do' }),
      event('agent_message', { message: 'Done.' }),
      event('task_complete', { last_agent_message: 'Done.' }),
    ]);
    assert.deepEqual(shown(result), [
      'system_message init - Session: `conv-1`',
      'thinking  Let me see.',
      `tool_use cancelled Run \`bash -lc 'echo "é"'\`\n\nNo result: the run ended before the tool returned (exit code 0).`,
      'assistant_message  Done.',
    ]);
    const [, , command] = result.entries;
    assert.ok(command?.type.kind === 'tool_use');
    assert.equal(command.type.tool.result?.text, 'é\n');
    assert.deepEqual(result.facts.sessionIds, ['conv-1']);
    assert.deepEqual(
      result.facts.messages.map((message) => message.usage),
      [{ input: 60, cacheRead: 40, output: 10 }],
    );
    assert.equal(result.facts.reports.length, 1);
  });

  it('of the old format end a run whose last answer includes a web search', () => {
    const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
    const counted = event('token_count', { info: { total_token_usage: usage, last_token_usage: usage } });
    const search = [event('web_search_begin', { call_id: 'w' }), event('web_search_end', { call_id: 'w', query: 'q' })];
    const ended = read('codex', [
      event('task_started'),
      ...search,
      event('agent_message', { message: 'Done.' }),
      counted,
    ]);
    assert.equal(ended.facts.unfinished, false);
    assert.deepEqual(shown(ended), ['tool_use success Search the web for `q`', 'assistant_message  Done.']);
    const cut = read('codex', [event('task_started'), ...search]);
    assert.match(shown(cut).at(-1) ?? '', /^system_message interrupted /);
  });

  it('show a command given as words in shell syntax', () => {
    const command = ['bash', '-lc', "echo 'a b' | wc -c"];
    const item = { id: 'item_0', type: 'command_execution', command, status: 'completed', exit_code: 0 };
    const [, call] = read('codex', [thread, turn, { type: 'item.completed', item }]).entries;
    assert.ok(call?.type.kind === 'tool_use' && call.type.tool.action.kind === 'command_run');
    assert.equal(call.type.tool.action.command, `bash -lc "echo 'a b' | wc -c"`);
  });

  const url = 'https://example.com';
  const cited = (start_index: unknown, end_index: unknown) => ({
    kind: 'citation',
    start_index,
    end_index,
    url,
    title: null,
  });
  const sources: Readonly<Record<string, readonly [item: object, annotations: readonly object[]]>> = {
    flat: [
      { text: 'One two.', annotations: [{ type: 'url_citation', url, start_index: 4, end_index: 7 }] },
      [cited(4, 7)],
    ],
    nested: [
      {
        text: 'One two.',
        annotations: [{ type: 'url_citation', url_citation: { url, start_index: 4, end_index: 7 } }],
      },
      [cited(4, 7)],
    ],
    'without a range': [{ text: 'One two.', annotations: [{ url }] }, [cited(null, null)]],
    'of a file': [
      { text: 'One.', annotations: [{ type: 'file_citation', file_id: 'file-1', filename: 'a.pdf', index: 3 }] },
      [{ ...cited(null, null), url: null, title: 'a.pdf' }],
    ],
    'with a range that no text has': [
      {
        text: 'One.',
        annotations: [
          { url, start_index: -3, end_index: 2 },
          { url, start_index: 3, end_index: 1 },
        ],
      },
      [cited(0, 0), cited(0, 0)],
    ],
    'of blocks': [
      {
        content: [
          { type: 'output_text', text: '🚀 one. ', annotations: [{ url, start_index: 2, end_index: 99 }] },
          { type: 'output_text', text: 'Two.', annotations: [{ url, start_index: 0, end_index: 3 }, { url }] },
        ],
      },
      [cited(2, 7), cited(7, 10), cited(7, 11)],
    ],
  };
  for (const [what, [fields, annotations]] of Object.entries(sources)) {
    it(`keep a source: ${what}`, () => {
      const item = { id: 'item_0', type: 'agent_message', ...fields };
      const started = { id: 'item_0', type: 'agent_message', text: 'On' };
      const ways = [
        [{ type: 'item.completed', item }],
        [
          { type: 'item.started', item: started },
          { type: 'item.completed', item },
        ],
      ];
      for (const lines of ways) {
        assert.deepEqual(read('codex', [thread, turn, ...lines]).entries[1]?.metadata?.annotations, annotations);
      }
    });
  }

  it('separate the prompt from texts that program or model attribute to the user', () => {
    const lines = [
      event('user_message', { message: '<environment_context/>', kind: 'environment_context' }),
      event('user_message', { message: 'Look', kind: 'plain' }),
      event('agent_message', { message: 'Looking.' }),
      event('user_message', { message: 'Yes, delete it.' }),
    ];
    const said = (context: Partial<NormalizerContext>) =>
      read('codex', lines, undefined, context)
        .entries.filter(({ type }) => type.kind === 'user_message')
        .map(({ origin, content }) => `${origin} ${content}`);
    assert.deepEqual(said({ prompt: 'Look' }), ['system <environment_context/>', 'system Yes, delete it.']);
    assert.deepEqual(said({}), ['system <environment_context/>', 'human Look', 'human Yes, delete it.']);
  });

  it('decode output as UTF-8, even across chunk boundaries', () => {
    const text = 'naïve 日本語 🚀';
    assert.equal(utf8([...Buffer.from(text)]), text);
    assert.equal(utf8(bytesOf(Buffer.from(text).toString('base64'))), text);
    assert.equal(utf8([0x61, 0xe6, 0x97]), 'a\uFFFD\uFFFD');
    assert.equal(utf8([0xc0, 0x80, 0xed, 0xa0, 0x80, 0xff]), '\uFFFD'.repeat(6));
    assert.deepEqual(bytesOf([1, 256, -1, 'x', 2.5]), [1]);
  });
});

describe('lines of Gemini CLI', () => {
  const init = { type: 'init', session_id: 's', model: 'auto' };
  const say = (content: string, delta = true) => ({ type: 'message', role: 'assistant', content, delta });

  it('merge the pieces of a text into one entry, even around stderr', () => {
    const output: OutputLine[] = [
      { stream: 'stdout', text: JSON.stringify(init) },
      { stream: 'stdout', text: JSON.stringify(say('one ')) },
      { stream: 'stderr', text: 'noise' },
      { stream: 'stdout', text: JSON.stringify(say('two')) },
      { stream: 'stdout', text: JSON.stringify(say('one two', false)) },
    ];
    const { entries, facts } = readBy(findAdapter('gemini')!, output);
    assert.deepEqual(
      entries.filter(({ type }) => type.kind === 'assistant_message').map(({ content }) => content),
      ['one two'],
    );
    assert.equal(facts.answer, 'one two');
  });

  it('interpret exit codes', () => {
    const reported = (code: number) => shown(read('gemini', [], { code, signal: null }))[0] ?? '';
    assert.match(reported(41), /^error authentication_failed|^error no_output/);
    const { facts } = read('gemini', [init], { code: 53, signal: null });
    assert.equal(facts.reports[0]?.subtype, 'error_max_turns');
    assert.match(shown(read('gemini', [init], { code: 53, signal: null })).at(-1) ?? '', /^error max_turns/);
  });

  it('warn if MCP servers of the run were skipped', () => {
    const why = `File is not owned by root (uid 0). Current uid: 1000.`;
    const skipped = (file: string): Read =>
      readBy(findAdapter('gemini')!, [
        { stream: 'stderr', text: `Security Warning: Skipping system defaults file '${file}': ${why}` },
        { stream: 'stdout', text: JSON.stringify(init) },
      ]);
    assert.deepEqual(skipped('somewhere/system-defaults.json').facts.warnings, []);
    const { entries, facts } = skipped('somewhere/mcp.json');
    assert.equal(facts.warnings.length, 1);
    assert.match(facts.warnings[0] ?? '', /^Gemini CLI reads MCP servers of a run only from files that root owns/);
    assert.ok(entries.some(({ content }) => content.includes(why)));
  });

  const refusals = { policy_violation: 'denied', execution_denied: 'denied', permission_denied: 'failed' };
  for (const [type, status] of Object.entries(refusals)) {
    it(`tell what was not allowed from what failed: ${type}`, () => {
      const call = { type: 'tool_use', tool_name: 'write_file', tool_id: 'w', parameters: { file_path: '/w/a' } };
      const error = { type, message: 'Permission denied' };
      const result = { type: 'tool_result', tool_id: 'w', status: 'error', output: 'Permission denied', error };
      const [tool] = read('gemini', [init, call, result]).entries.filter(({ type: { kind } }) => kind === 'tool_use');
      assert.ok(tool?.type.kind === 'tool_use');
      assert.equal(tool.type.tool.status, status);
    });
  }

  it('skip an invalid object that spans many lines', () => {
    const output: OutputLine[] = ['{', '  "response": "x",', '}', 'rest'].map((text) => ({ stream: 'stdout', text }));
    const { facts, entries } = readBy(findAdapter('gemini')!, output);
    assert.deepEqual([facts.lines.total, facts.lines.malformed, entries.length], [4, 4, 4]);
  });
});

describe('lines of Cursor', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'Auto', permissionMode: 'default' };
  const say = (text: string, marks: object) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    ...marks,
  });
  const piece = { timestamp_ms: 1_770_000_000_000 };
  const call = { type: 'tool_call', subtype: 'started', call_id: 'c', tool_call: { readToolCall: { args: {} } } };

  it('show a repeated text once', () => {
    const result = read('cursor', [
      init,
      say('I ', piece),
      say('go.', piece),
      call,
      say('I go.', { model_call_id: 'm' }),
    ]);
    assert.deepEqual(
      result.entries.filter(({ type }) => type.kind === 'assistant_message').map(({ content }) => content),
      ['I go.'],
    );
  });

  const think = [
    { type: 'thinking', subtype: 'delta', text: 'Hm.' },
    { type: 'thinking', subtype: 'completed' },
  ];
  const long = 'This text is longer than what models stutter.';
  const interrupted: Readonly<Record<string, readonly [lines: object[], said: string[], last: string]>> = {
    'by a thought': [
      [say('Done', piece), ...think, say(' it.', piece), say('Done it.', {})],
      ['Done', ' it.'],
      'Done it.',
    ],
    'by a thought, after a call': [
      [say('I go.', piece), call, say('Done', piece), ...think, say(' it.', piece), say('Done it.', {})],
      ['I go.', 'Done', ' it.'],
      'Done it.',
    ],
    'by a thought, and confirmed after a call': [
      [say('I ', piece), ...think, say('go.', piece), call, say('I go.', { model_call_id: 'm' })],
      ['I ', 'go.'],
      'I go.',
    ],
    'by a thought, with more at its end': [
      [say('Done', piece), ...think, say(' it', piece), say('Done it.', {})],
      ['Done', ' it.'],
      ' it.',
    ],
    'by a thought, and repeated as a piece': [
      [say(long, piece), ...think, say(' More.', piece), say(`${long} More.`, piece)],
      [long, ' More.'],
      `${long} More.`,
    ],
    'by calls, and said again after each': [
      [...[call, call].flatMap((message) => [say(long, piece), message]), say(long, piece), say(long, {})],
      [long, long, long],
      long,
    ],
  };
  for (const [how, [lines, said, last]] of Object.entries(interrupted)) {
    it(`say a text once that is interrupted ${how}`, () => {
      const { entries, facts } = read('cursor', [init, ...lines]);
      assert.deepEqual(
        entries.filter(({ type }) => type.kind === 'assistant_message').map(({ content }) => content),
        said,
      );
      assert.equal(facts.finalText, last);
    });
  }

  it('keep todos that were read, if the list is complete', () => {
    const todos = [{ id: '1', content: 'Look', status: 'TODO_STATUS_PENDING' }];
    const actionOf = (args: object) => {
      const tool_call = { readTodosToolCall: { args, result: { success: { todos, totalCount: 1 } } } };
      const line = { type: 'tool_call', subtype: 'completed', call_id: 'c', tool_call };
      const type = read('cursor', [init, line]).entries.find((entry) => entry.type.kind === 'tool_use')?.type;
      assert.ok(type?.kind === 'tool_use');
      return [type.tool.action, type.tool.result?.data];
    };
    const whole = { kind: 'todo', todos: [{ text: 'Look', status: 'pending' }] };
    assert.deepEqual(actionOf({}), [whole, { success: { totalCount: 1 } }]);
    const some = { statusFilter: ['TODO_STATUS_PENDING'] };
    assert.deepEqual(actionOf(some), [{ kind: 'tool', input: some }, { success: { todos, totalCount: 1 } }]);
  });

  it('report a failed tool of an MCP server', () => {
    const statusOf = (isError: boolean) => {
      const success = { content: [{ text: { text: 'it' } }], isError };
      const tool_call = { mcpToolCall: { args: { providerIdentifier: 'fs', toolName: 'read' }, result: { success } } };
      const line = { type: 'tool_call', subtype: 'completed', call_id: 'c', tool_call };
      const type = read('cursor', [init, line]).entries.find((entry) => entry.type.kind === 'tool_use')?.type;
      assert.ok(type?.kind === 'tool_use');
      return [type.tool.status, type.tool.result?.isError, type.tool.result?.text];
    };
    assert.deepEqual(statusOf(true), ['failed', true, 'it']);
    assert.deepEqual(statusOf(false), ['success', false, 'it']);
  });

  it('keep a text that occurs twice', () => {
    const result = read('cursor', [init, say('Yes.', {}), say('Yes.', { model_call_id: 'm' })]);
    assert.equal(result.facts.answer, 'Yes.\n\nYes.');
  });

  it('show a result without its call', () => {
    const result = read('cursor', [
      init,
      { type: 'result', subtype: 'success', is_error: false, result: 'Only here.' },
    ]);
    assert.equal(result.facts.answer, 'Only here.');
    const failed = read('cursor', [init, { type: 'result', subtype: 'error', is_error: true, result: 'No.' }]);
    assert.deepEqual(shown(failed).slice(1), ['error  No.', 'system_message result Failed']);
  });

  it('recognize failures in text', () => {
    const done = {
      ...call,
      subtype: 'completed',
      tool_call: { readToolCall: { args: {}, result: { error: 'boom' } } },
    };
    const [entry] = read('cursor', [init, call, done]).entries.filter(({ type }) => type.kind === 'tool_use');
    assert.ok(entry?.type.kind === 'tool_use');
    assert.deepEqual([entry.type.tool.status, entry.type.tool.result?.text], ['failed', 'boom']);
  });
});
