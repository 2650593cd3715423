import assert from 'node:assert/strict';
import { EventBuilder } from '../../src/formats/events.ts';
import type { EntryUpdate, NormalizedEntry } from '../../src/model/transcript/entry.ts';
import type { ToolUse } from '../../src/model/transcript/tool.ts';

const at = '2026-01-01T00:00:00.000Z';

function put(entry: Omit<NormalizedEntry, 'timestamp'>, open = false): EntryUpdate {
  return { op: 'put', entry: { timestamp: at, ...entry }, open };
}

function tool(index: number, change: Partial<ToolUse>, open = false): EntryUpdate {
  const use: ToolUse = { toolName: 'Read', callId: 'c', action: { kind: 'tool' }, status: 'running', ...change };
  return put({ index, type: { kind: 'tool_use', tool: use }, content: '' }, open);
}

describe('events', () => {
  const kinds = (builder: EventBuilder, ...updates: EntryUpdate[]): string[] =>
    builder.eventsOf(updates, at).map((event) => event.event_type);

  it('tells a call when its input is known and again when its result is', () => {
    const builder = new EventBuilder('ses_000000000000');
    assert.deepEqual(kinds(builder, tool(0, { input: {} }, true)), []);
    const [pre] = builder.eventsOf([tool(0, { input: { file_path: 'a' } }, true)], at);
    assert.deepEqual(pre, {
      event_type: 'pre_tool',
      session_id: 'ses_000000000000',
      timestamp: at,
      tool_name: 'Read',
      tool_call_id: 'c',
      tool_input: { file_path: 'a' },
    });
    assert.deepEqual(kinds(builder, tool(0, { input: { file_path: 'a' } }, true)), []);
    const [post] = builder.eventsOf(
      [tool(0, { input: { file_path: 'a' }, status: 'success', result: { text: 'x' } })],
      at,
    );
    assert.ok(post?.event_type === 'post_tool');
    assert.deepEqual([post.tool_output, post.error], ['x', null]);
    assert.deepEqual(kinds(builder, tool(0, { status: 'success', result: { text: 'xy' } })), []);
  });

  it('tells both at once of a call that is first seen answered, and the error of one that failed', () => {
    const builder = new EventBuilder('ses_000000000000');
    const events = builder.eventsOf([tool(3, { status: 'denied', result: { text: 'no' }, parentCallId: 'p' })], at);
    assert.deepEqual(
      events.map((event) => event.event_type),
      ['pre_tool', 'post_tool'],
    );
    const post = events[1];
    assert.ok(post?.event_type === 'post_tool');
    assert.deepEqual([post.error, post.parent_tool_call_id], ['no', 'p']);
  });

  it('tells a message once, when it has settled', () => {
    const builder = new EventBuilder('ses_000000000000');
    const said = { index: 1, type: { kind: 'assistant_message' }, content: 'hi' } as const;
    assert.deepEqual(kinds(builder, put({ ...said, content: '' }, true), { op: 'append', index: 1, text: 'hi' }), []);
    assert.deepEqual(kinds(builder, put(said)), ['message']);
    assert.deepEqual(kinds(builder, put(said)), []);
    assert.deepEqual(kinds(builder, put({ index: 2, type: { kind: 'thinking' }, content: 'hm' })), []);
  });
});
