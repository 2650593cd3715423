import assert from 'node:assert/strict';
import { normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';
import {
  assistant,
  call,
  delta,
  event,
  init,
  kinds,
  result,
  started,
  success,
  text,
} from '../../../support/captures/claudeLines.ts';

const stop = event({ type: 'message_stop' });
const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, error: 'unknown' };
const toolStart = (id: string, name = 'Bash') =>
  event({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name, input: {} } });
const json = (partial_json: string) =>
  event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } });

describe('repeated output of Claude Code', () => {
  it('continues after a stream that was cut off, whose partial text stays in the transcript', () => {
    const abandoned = { ...stop, abandoned_blocks: { api_message_id: 'm1', from_block_index: 0 } };
    const again: Record<string, readonly object[]> = {
      streamed: [retry, started('m2'), delta(0, 'Hello'), assistant('m2', text('Hello')), stop],
      'without final lines': [retry, started('m2'), delta(0, 'Hello'), stop],
      'after an end of the half': [
        abandoned,
        retry,
        started('m2'),
        delta(0, 'Hello'),
        assistant('m2', text('Hello')),
        stop,
      ],
      whole: [assistant('m2', text('Hello'))],
    };
    for (const [how, lines] of Object.entries(again)) {
      const { entries, facts } = normalizeLines(stdoutLines(init, started('m1'), delta(0, 'Hel'), ...lines, success));
      assert.equal(facts.answer, 'Hello', how);
      assert.equal(facts.finalText, 'Hello', how);
      const said = entries.filter(({ type }) => type.kind === 'assistant_message');
      assert.deepEqual(
        said.map(({ content, metadata }) => [content, metadata?.['aborted']]),
        [
          ['Hel', true],
          ['Hello', undefined],
        ],
        how,
      );
    }
  });

  it('keeps completed blocks of an interrupted stream, and drops incomplete calls', () => {
    const { entries, facts } = normalizeLines(
      stdoutLines(
        init,
        started('m1'),
        delta(0, 'First.'),
        assistant('m1', text('First.')),
        toolStart('c1'),
        json('{"command":"l'),
        retry,
        started('m2'),
        delta(0, 'Second.'),
        stop,
        success,
      ),
    );
    assert.equal(facts.answer, 'First.\n\nSecond.');
    assert.ok(kinds(entries).includes('tool_use c1 cancelled'));
    const cut = entries.find(({ type }) => type.kind === 'tool_use');
    assert.match(cut?.content ?? '', /Not run: the response was interrupted/);
  });

  it('completes a partial answer when its final line comes late', () => {
    const { entries, facts } = normalizeLines(
      stdoutLines(init, started('m1'), delta(0, 'Hel'), started('m2'), assistant('m1', text('Hello')), stop, success),
    );
    assert.equal(facts.answer, 'Hello');
    const [said] = entries.filter(({ type }) => type.kind === 'assistant_message');
    assert.equal(said?.metadata?.['aborted'], undefined);
  });

  it('does not confuse a subagent with a restarted answer', () => {
    const other = { parent_tool_use_id: 'task' };
    const { facts } = normalizeLines(
      stdoutLines(
        init,
        started('m1'),
        delta(0, 'Hel'),
        { ...started('s1'), ...other },
        { ...assistant('s2', text('Of another.')), ...other },
        delta(0, 'lo'),
        stop,
        success,
      ),
    );
    assert.equal(facts.answer, 'Hello');
  });

  it('is another call if another message uses the same id', () => {
    const { entries } = normalizeLines(
      stdoutLines(
        init,
        assistant('m1', call('a')),
        result('a', 'one'),
        assistant('m2', call('a', 'Bash', { command: 'pwd' })),
        result('a', 'two'),
        assistant('m3', call('a', 'Read', { file_path: '/x' })),
        success,
      ),
    );
    const calls = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
    assert.deepEqual(
      calls.map(({ callId, toolName, status, result: output }) => [
        callId,
        toolName,
        status,
        output?.text?.slice(0, 3),
      ]),
      [
        ['a', 'Bash', 'success', 'one'],
        ['a~2', 'Bash', 'success', 'two'],
        ['a~3', 'Read', 'cancelled', 'No '],
      ],
    );
  });

  it('is a new call each time, even with the same id', () => {
    const lines = Array.from({ length: 300 }, (_, n) => [
      assistant(`m${n}`, call('call_0')),
      result('call_0', `result ${n}`),
    ]);
    const { entries, facts } = normalizeLines(stdoutLines(init, ...lines.flat(), success));
    const calls = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
    assert.equal(calls.length, 300);
    assert.equal(new Set(calls.map(({ callId }) => callId)).size, 300);
    assert.equal(facts.lines.unknown, 0);
  });

  it('counts a repeated closing line once', () => {
    const closing = { ...success, uuid: 'u', total_cost_usd: 0.5, usage: { input_tokens: 3, output_tokens: 4 } };
    const { facts } = normalizeLines(stdoutLines(init, closing, closing));
    assert.equal(facts.reports.length, 1);
    assert.equal(normalizeLines(stdoutLines(init, closing, { ...closing, uuid: 'v' })).facts.reports.length, 2);
  });

  it('has the reason of a failure from texts and objects', () => {
    const of = (errors: unknown) =>
      normalizeLines(stdoutLines(init, { ...success, subtype: 'error_during_execution', is_error: true, errors })).facts
        .reports[0]?.errors;
    assert.deepEqual(of(['a', { message: 'b' }, { code: 7 }, null, '']), ['a', 'b', '{"code":7}']);
  });
});
