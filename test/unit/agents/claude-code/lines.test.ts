import assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';
import {
  assistant,
  call,
  delta,
  event,
  init,
  kinds,
  result,
  session_id,
  started,
  success,
  text,
} from '../../../support/captures/claudeLines.ts';

function toolAt(entries: readonly NormalizedEntry[], index: number) {
  const type = entries[index]?.type;
  assert.ok(type?.kind === 'tool_use');
  return type.tool;
}

describe('lines of Claude Code', () => {
  it('have no metadata before it is known, and then always the same', () => {
    const { entries } = normalizeLines(stdoutLines({ type: 'system', subtype: 'status', status: 'starting' }, init));
    assert.equal(entries[0]?.metadata, undefined);
    assert.equal(entries[1]?.metadata?.sessionId, session_id);
    assert.equal(entries[1].metadata.model, 'model-a');
    assert.equal(entries[1].metadata['permissionMode'], null);
  });

  it("count from the run's first index", () => {
    const { entries } = normalizeLines(stdoutLines(init, success), undefined, { firstIndex: 7 });
    assert.deepEqual(
      entries.map(({ index }) => index),
      [7, 8],
    );
  });

  it('keep valid timestamps', () => {
    const at = '2026-11-20T10:11:21.114Z';
    const of = (timestamp: unknown) => normalizeLines(stdoutLines({ ...init, timestamp })).entries[0]?.timestamp;
    assert.equal(of(at), at);
    for (const bad of ['yesterday', '2026-13-01T00:00:00Z', 7, null]) assert.equal(of(bad), '2026-11-20T10:00:00.000Z');
  });

  it('accept results in any order, before their calls, twice, or without a call', () => {
    const { entries, open } = normalizeLines(
      stdoutLines(
        init,
        result('early', 'too soon'),
        assistant('m', call('a'), call('b'), call('c')),
        result('b', 'second'),
        result('a', [text('first'), { type: 'text', text: 'block' }]),
        result('a', [text('first'), { type: 'text', text: 'block' }]),
        assistant('m', call('early')),
        assistant('m', call('a')),
        result('nobody', 'orphan', { is_error: true }),
        success,
      ),
    );
    assert.deepEqual(kinds(entries).slice(1, -1), [
      'tool_use early success',
      'tool_use a success',
      'tool_use b success',
      'tool_use c cancelled',
      'tool_use nobody failed',
    ]);
    assert.equal(toolAt(entries, 1).toolName, 'Bash');
    assert.equal(toolAt(entries, 1).result?.text, 'too soon');
    assert.equal(toolAt(entries, 2).result?.text, 'first\nblock');
    assert.match(entries[4]?.content ?? '', /No result: the run ended/);
    assert.match(entries[5]?.content ?? '', /did not make/);
    assert.deepEqual(open, []);
  });

  it('distinguish denied, cancelled and failed calls', () => {
    const line = (id: string, content: string, meta?: object) => ({
      ...result(id, content, { is_error: true }),
      ...(meta !== undefined && { tool_result_meta: [{ id, ...meta }] }),
    });
    const { entries } = normalizeLines(
      stdoutLines(
        assistant('m', ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => call(id))),
        line('a', 'no', { permission_decision: { decision: 'reject' } }),
        line('b', 'stopped', { non_execution_kind: 'user-rejected' }),
        line('c', "Claude requested permissions to use Bash, but you haven't granted it yet."),
        line('d', 'Exit code 137\n[Request interrupted by user for tool use]'),
        line('e', 'Exit code 3\nboom'),
        { type: 'system', subtype: 'permission_denied', tool_use_id: 'f', message: 'rule' },
        line('f', 'rule'),
        line('g', 'listed later'),
        line('h', 'Permission to use Bash with command cat <<EOF\nhi\nEOF has been denied.'),
        { ...success, permission_denials: [{ tool_name: 'Bash', tool_use_id: 'g' }] },
      ),
    );
    assert.deepEqual(
      entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.status] : [])),
      ['denied', 'cancelled', 'denied', 'cancelled', 'failed', 'denied', 'denied', 'denied'],
    );
    const { action } = toolAt(entries, 4);
    assert.ok(action.kind === 'command_run');
    assert.equal(action.exitCode, 3);
  });

  it('identify the author of a message by its fields, never by its text', () => {
    const user = (content: unknown, extra: object = {}) => ({
      type: 'user',
      message: { role: 'user', content },
      session_id,
      ...extra,
    });
    const { entries } = normalizeLines(
      stdoutLines(
        init,
        user([text('The prompt')], { isReplay: true }),
        user([text('Another prompt')], { isReplay: true }),
        user('<local-command-stdout>…</local-command-stdout>', { isReplay: true }),
        user([text('go on')], { isSynthetic: true }),
        user([text('work')], { parent_tool_use_id: 'task' }),
        { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'manual', pre_tokens: 9 } },
        user('This session is being continued …', { isSynthetic: true }),
        user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }], { isMeta: true }),
        success,
      ),
      undefined,
      { prompt: 'The prompt\n' },
    );
    assert.deepEqual(kinds(entries).slice(1, -1), [
      'user_message human',
      'user_message replay',
      'user_message system',
      'user_message subagent',
      'system_message compact_boundary',
      'user_message compaction',
      'user_message system',
    ]);
    assert.equal(entries[7]?.content, '[image image/png, 3 bytes]');
    assert.equal(entries[4]?.metadata?.parentCallId, 'task');
  });

  it('stream into open entries that final lines close', () => {
    const { entries, updates } = normalizeLines(
      stdoutLines(
        init,
        started('m'),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        delta(0, 'Hel'),
        delta(0, 'lo'),
        assistant('m', text('Hello')),
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'content_block_start', index: 1, content_block: call('a', 'Read', {}) }),
        event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"file_' } }),
        assistant('m', call('a', 'Read', { file_path: '/workspace/x' })),
        event({ type: 'message_delta', usage: { output_tokens: 9 }, delta: {} }),
        event({ type: 'message_stop' }),
        success,
      ),
    );
    assert.deepEqual(kinds(entries), [
      'system_message init',
      'assistant_message',
      'tool_use a cancelled',
      'system_message result',
    ]);
    assert.equal(entries[1]?.content, 'Hello');
    assert.deepEqual(
      updates.filter((update) => update.op === 'append'),
      [{ op: 'append', index: 1, text: 'lo' }],
    );
    assert.equal(toolAt(entries, 2).action.kind, 'file_read');
  });

  it('keep streamed text when the stream breaks', () => {
    const { entries, facts } = normalizeLines(
      stdoutLines(
        init,
        started('m'),
        delta(0, 'Half a sen'),
        event({ type: 'content_block_start', index: 1, content_block: call('a', 'Bash', {}) }),
        event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"comm' } }),
      ),
      { code: null, signal: 'SIGKILL' },
    );
    assert.deepEqual(kinds(entries).slice(1), ['assistant_message', 'tool_use a cancelled', 'error signal_SIGKILL']);
    assert.equal(facts.answer, 'Half a sen');
    assert.equal(toolAt(entries, 2).input, '{"comm');
  });

  it('keep a final text that differs from the streamed one', () => {
    const { entries } = normalizeLines(
      stdoutLines(init, started('m'), delta(0, 'One'), assistant('m', text('Two')), success),
    );
    assert.deepEqual(
      entries.flatMap(({ type, content }) => (type.kind === 'assistant_message' ? [content] : [])),
      ['One', 'Two'],
    );
  });

  it('do not repeat text that the message already had at its start', () => {
    const shown = (...lines: unknown[]) =>
      normalizeLines(stdoutLines(init, started('m', [text('Hi')]), ...lines)).entries.filter(
        ({ type }) => type.kind === 'assistant_message',
      ).length;
    assert.equal(shown(delta(0, 'Hi'), assistant('m', text('Hi'))), 1);
    assert.equal(shown(event({ type: 'message_stop' })), 1);
    assert.equal(shown(), 1);
    assert.equal(shown(assistant('m', text('Hi')), event({ type: 'message_stop' })), 1);
  });

  it('count an identical repeated line once', () => {
    const line = { ...assistant('m', text('Once')), uuid: 'u' };
    const { entries } = normalizeLines(
      stdoutLines(line, line, { ...line, message: assistant('m', text('Else')).message }),
    );
    assert.deepEqual(
      entries.flatMap(({ type, content }) => (type.kind === 'assistant_message' ? [content] : [])),
      ['Once', 'Else'],
    );
  });

  it('report an API failure once, whichever line reports it', () => {
    const shown = 'API Error: 429 {"type":"error"}';
    const synthetic = { type: 'assistant', message: { id: 'x', model: '<synthetic>', content: [text(shown)] } };
    const failed = { ...success, is_error: true, result: shown };
    for (const lines of [[{ ...synthetic, error: 'rate_limit' }, failed], [synthetic, failed], [failed]]) {
      const { entries, facts } = normalizeLines(stdoutLines(init, ...lines), { code: 1, signal: null });
      assert.deepEqual(kinds(entries).slice(1), ['error rate_limit', 'system_message result']);
      assert.equal(facts.answer, '');
      assert.equal(entries[1]?.metadata?.model, 'model-a');
    }
  });

  it('report a limit of the plan with its window, use and reset', () => {
    const limit = (rate_limit_info: object) => ({ type: 'rate_limit_event', rate_limit_info });
    const resetsAt = 1_795_766_400;
    const { entries } = normalizeLines(
      stdoutLines(
        init,
        limit({ status: 'allowed_warning', rateLimitType: 'seven_day_opus', utilization: 0.876, resetsAt }),
        limit({ status: 'rejected', rateLimitType: 'five_hour', resetsAt }),
        limit({ status: 'allowed' }),
        success,
      ),
    );
    const reset = new Date(resetsAt * 1000).toISOString();
    assert.deepEqual(
      entries.slice(1, 4).map(({ metadata }) => metadata?.['planLimits']),
      [
        [{ name: '7 d (Opus)', usedPercent: 88, resetsAt: reset }],
        [{ name: '5 h', usedPercent: 100, resetsAt: reset }],
        undefined,
      ],
    );
    assert.equal(entries[1]?.metadata?.sessionId, session_id);
  });

  it('treat the turn and budget limits as errors, whatever is_error says', () => {
    for (const [subtype, code] of [
      ['error_max_turns', 'max_turns'],
      ['error_max_budget_usd', 'max_budget'],
    ]) {
      const { entries } = normalizeLines(stdoutLines(init, { ...success, subtype, is_error: false, errors: [] }));
      assert.deepEqual(kinds(entries).slice(1), [`error ${String(code)}`, 'system_message result']);
    }
  });

  it('extend citations over the whole block, in code points', () => {
    const cited = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'said' };
    const { entries } = normalizeLines(stdoutLines(assistant('m', { ...text('Rocket 🚀'), citations: [cited] })));
    assert.deepEqual(entries[0]?.metadata?.annotations, [
      { kind: 'citation', start_index: 0, end_index: 8, url: 'https://a.example', title: 'A', description: 'said' },
    ]);
  });

  it('read server tools of the API as calls', () => {
    const { entries } = normalizeLines(
      stdoutLines(
        assistant(
          'm',
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'x' }],
          },
        ),
        success,
      ),
    );
    assert.deepEqual(kinds(entries), ['tool_use s success', 'system_message result']);
    assert.deepEqual(toolAt(entries, 0).action, {
      kind: 'web_search',
      query: 'q',
      results: [{ url: 'https://a.example', title: 'A' }],
    });
  });

  it('read tool calls that are lines of their own', () => {
    const { entries } = normalizeLines(
      stdoutLines(
        init,
        { type: 'tool_use', tool: 'Read', input: { file_path: 'src/index.ts' } },
        { type: 'tool_result', tool: 'Read', output: 'text of the file' },
        success,
      ),
    );
    assert.match(kinds(entries)[1] ?? '', /^tool_use unidentified-1 success$/);
    assert.equal(toolAt(entries, 1).result?.text, 'text of the file');
  });
});
