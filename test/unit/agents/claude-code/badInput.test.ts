import assert from 'node:assert/strict';
import { normalizedEntrySchema } from '../../../../src/model/transcript/entry.ts';
import { normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';
import { assistant, call, event, init, kinds, result, text } from '../../../support/captures/claudeLines.ts';

describe('bad output of Claude Code', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  const cases: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ['malformed JSON', ['{"type":"assistant"'], ['error malformed_line']],
    ['half a line', [JSON.stringify(init).slice(0, 40)], ['error malformed_line']],
    ['no JSON at all', ['Hello from the model.'], ['error malformed_line']],
    [
      'JSON that is not an object',
      ['7', '"text"', 'null', '[]', '[1,2]'],
      Array<string>(5).fill('error malformed_line'),
    ],
    ['a list with strangers in it', [[init, 7]], ['system_message init', 'error malformed_line']],
    ['a byte order mark', [`\uFEFF${JSON.stringify(init)}`], ['system_message init']],
    ['a carriage return', [`${JSON.stringify(init)}\r`], ['system_message init']],
    ['a line separator in a text', [assistant('m', text('a\u2028b'))], ['assistant_message']],
    ['a replacement character', [assistant('m', text('\uFFFD'))], ['assistant_message']],
    ['blank lines', ['', '  ', '\t'], []],
    ['an unknown type', [{ type: 'brand_new', a: 1 }], ['system_message unknown']],
    ['an unknown subtype', [{ type: 'system', subtype: 'brand_new' }], ['system_message unknown']],
    ['no type', [{ a: 1 }], ['system_message unknown']],
    ['a type of another type', [{ type: 5 }, { type: null }], Array<string>(2).fill('system_message unknown')],
    [
      'an unknown block',
      [assistant('m', { type: 'hologram' }, text('x'))],
      ['system_message unknown', 'assistant_message'],
    ],
    ['no message', [{ type: 'assistant' }, { type: 'user' }], Array<string>(2).fill('system_message unknown')],
    ['content of another type', [{ type: 'assistant', message: { content: 7 } }], ['system_message unknown']],
    ['content that is a text', [{ type: 'assistant', message: { content: 'Hi' } }], ['assistant_message']],
    [
      'blocks of other types',
      [assistant('m', 7, null, 'Hi')],
      ['system_message unknown', 'system_message unknown', 'assistant_message'],
    ],
    ['a text of another type', [assistant('m', { type: 'text', text: 7 })], ['system_message unknown']],
    ['a call without an id', [assistant('m', { type: 'tool_use', name: 'X' })], ['tool_use unidentified-0 cancelled']],
    ['a call without a name', [assistant('m', { type: 'tool_use', id: 'a' })], ['tool_use a cancelled']],
    [
      'a result without an id',
      [{ type: 'user', message: { content: [{ type: 'tool_result' }] } }],
      ['system_message unknown'],
    ],
    [
      'an init of other types',
      [{ type: 'system', subtype: 'init', tools: 7, mcp_servers: 'x', model: [] }],
      ['system_message init'],
    ],
    [
      'a result of other types',
      [{ type: 'result', subtype: 7, usage: [], modelUsage: 'x', errors: 5 }],
      ['system_message result'],
    ],
    [
      'an event of another type',
      [{ type: 'stream_event', event: 5 }, event({ type: 'new' })],
      Array<string>(2).fill('system_message unknown'),
    ],
    [
      'a delta of nothing',
      [event({ type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{}' } })],
      ['system_message unknown'],
    ],
    [
      '__proto__ keys',
      ['{"__proto__":{"type":"result"},"type":"assistant","message":{"__proto__":1,"content":[]}}'],
      [],
    ],
    [
      'another call under an id that is taken',
      [assistant('m', call('a')), assistant('n', call('a', 'Read', { file_path: '/x' })), result('a', 'ok')],
      ['tool_use a success', 'system_message unknown'],
    ],
    [
      'another call under the id of an answered one',
      [assistant('m', call('a')), result('a', 'ok'), assistant('n', call('a', 'Read', { file_path: '/x' }))],
      ['tool_use a success', 'tool_use a~2 cancelled'],
    ],
    ['duplicate keys', ['{"type":"result","type":"system","subtype":"init"}'], ['system_message init']],
  ];

  for (const [name, lines, expected] of cases) {
    it(name, () => {
      const source = stdoutLines(...lines);
      const { entries, facts } = normalizeLines(source);
      const own = entries.filter(({ type }) => type.kind !== 'system_message' || type.subtype !== 'interrupted');
      assert.deepEqual(kinds(own), expected);
      for (const entry of entries) normalizedEntrySchema.parse(entry);
      assert.equal(facts.lines.malformed, expected.filter((kind) => kind === 'error malformed_line').length);
      assert.equal(facts.lines.unknown, expected.filter((kind) => kind === 'system_message unknown').length);
      assert.deepEqual(Object.keys(Object.prototype), []);
    });
  }

  it('keeps unknown lines unchanged', () => {
    const lines = ['{"type": "brand_new",  "a": 1}', '{"type":', 'plain text'];
    const { entries } = normalizeLines(stdoutLines(...lines));
    assert.deepEqual(
      entries.map(({ metadata }) => metadata?.raw),
      lines,
    );
  });

  it('keeps a cost as printed, however large', () => {
    const { entries } = normalizeLines(stdoutLines({ type: 'result', subtype: 'success', total_cost_usd: 1e308 }));
    assert.match(entries[0]?.content ?? '', /\$[\d,]{300,}\.00$/);
  });

  it('reports the size of an oversized line', () => {
    const { entries, facts } = normalizeLines([{ stream: 'stdout', oversize: { bytes: 9_437_184, head: '{"type":' } }]);
    assert.deepEqual(kinds(entries), ['error oversize_line']);
    assert.match(entries[0]?.content ?? '', /9\.0 MB \(9437184 bytes\)/);
    assert.equal(facts.lines.oversize, 1);
  });

  it('truncates nesting that cannot be serialized', () => {
    const input = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"X","input":${nested(50_000)}}]}}`;
    const unknown = `{"type":"assistant","message":{"content":[${nested(50_000)}]}}`;
    const answer = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":${nested(50_000)}}]},"tool_use_result":${nested(50_000)}}`;
    const { entries } = normalizeLines(stdoutLines(input, unknown, answer, `[${input}]`));
    assert.equal(entries.filter(({ type }) => type.kind === 'tool_use').length, 1);
    for (const entry of entries) JSON.stringify(entry);
  });

  it('follows 200 levels of subagents', () => {
    const levels = Array.from({ length: 200 }, (_, level) => ({
      ...assistant(`m${level}`, text(`level ${level}`), call(`c${level}`, 'Agent')),
      parent_tool_use_id: level === 0 ? null : `c${level - 1}`,
    }));
    const { entries, facts } = normalizeLines(stdoutLines(init, ...levels));
    const tools = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
    assert.equal(tools.length, 200);
    assert.equal(tools[199]?.parentCallId, 'c198');
    assert.equal(facts.answer, 'level 0');
  });

  it('reports a process without output', () => {
    const of = (stderr: string[], code: number | null, signal: string | null = null) =>
      kinds(
        normalizeLines(
          stderr.map((line) => ({ stream: 'stderr', text: line })),
          { code, signal },
        ).entries,
      );
    assert.deepEqual(of([], 0), []);
    assert.deepEqual(of([], 1), ['error no_output']);
    assert.deepEqual(of([], null, 'SIGKILL'), ['error no_output']);
    assert.deepEqual(of(['a', 'b'], 0), ['system_message stderr']);
    assert.deepEqual(of(['a', 'b'], 7), ['system_message stderr', 'error exit_7']);
    for (const [line, code] of [
      ["error: unknown option '--x'", 'bad_flag'],
      ["error: option '--permission-mode <mode>' argument 'x' is invalid.", 'bad_flag'],
      ['Error: When using --print, --output-format=stream-json requires --verbose', 'bad_flag'],
      ['Error: --session-id with --continue or --resume also needs --fork-session.', 'bad_flag'],
      ['Error: Session ID a is already in use.', 'session_in_use'],
      ['--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons', 'root_bypass'],
      ['No conversation found with session ID: a', 'unknown_session'],
    ]) {
      assert.deepEqual(of([String(line)], 1), ['system_message stderr', `error ${String(code)}`], line);
    }
  });

  it('truncates stderr in the middle', () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => ({ stream: 'stderr', text: `line ${at}` }) as const);
    const { facts, entries } = normalizeLines(lines);
    assert.ok(facts.stderr.startsWith('line 0\nline 1\n'));
    assert.ok(facts.stderr.endsWith('line 29999\n'));
    assert.ok(facts.stderr.length < 2 * 64 * 1024 + 10);
    assert.equal(entries.map(({ content }) => content).join('\n'), lines.map(({ text: line }) => line).join('\n'));
  });
});
