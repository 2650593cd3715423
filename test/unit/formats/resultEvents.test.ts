import assert from 'node:assert/strict';
import { resultEvents } from '../../../src/formats/resultEvents.ts';
import type { EntryType, NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import { linesOfCapture } from '../../support/captures/agentCaptures.ts';
import { normalizeLines } from '../../support/captures/captures.ts';
import { captureNamed } from '../../support/captures/chains.ts';

const at = (ms: number): string => new Date(ms).toISOString();

function entry(index: number, type: EntryType, ms: number, content = ''): NormalizedEntry {
  return { index, timestamp: at(ms), type, content };
}

function tool(own: Partial<ToolUse>): EntryType {
  return {
    kind: 'tool_use',
    tool: { toolName: 'Read', callId: 'a', action: { kind: 'tool' }, status: 'running', ...own },
  };
}

describe('events of a result', () => {
  it('are ordered by time, with call ids', () => {
    const events = resultEvents([
      entry(0, { kind: 'system_message', subtype: 'init' }, 1),
      entry(1, { kind: 'thinking' }, 5, 'hm'),
      entry(2, { kind: 'assistant_message' }, 10, 'Let me look.'),
      entry(
        3,
        tool({ callId: 'a', input: { path: 'x' }, startedAt: at(20), endedAt: at(50), result: { text: 'X' } }),
        20,
      ),
      entry(
        4,
        tool({ callId: 'b', input: 'y', startedAt: at(30), endedAt: at(40), result: { data: [1], text: 'Y' } }),
        30,
      ),
      entry(5, { kind: 'assistant_message' }, 60, 'Done.'),
    ]);
    assert.deepEqual(events, [
      { type: 'content', text: 'Let me look.', timestamp: 10 },
      { type: 'tool_use', tool: 'Read', input: { path: 'x' }, id: 'a', timestamp: 20 },
      { type: 'tool_use', tool: 'Read', input: 'y', id: 'b', timestamp: 30 },
      { type: 'tool_result', tool: 'Read', output: [1], id: 'b', timestamp: 40 },
      { type: 'tool_result', tool: 'Read', output: 'X', id: 'a', timestamp: 50 },
      { type: 'content', text: 'Done.', timestamp: 60 },
    ]);
  });

  it('have no result for a call without one, and none before its call', () => {
    assert.equal(resultEvents([entry(0, tool({}), 5)]).length, 1);
    const [use, result] = resultEvents([entry(0, tool({ startedAt: 'soon', endedAt: at(1), result: {} }), 5)]);
    assert.deepEqual([use?.timestamp, result?.timestamp], [5, 5]);
    assert.deepEqual(result, { type: 'tool_result', tool: 'Read', output: null, id: 'a', timestamp: 5 });
  });

  it('can be derived from a capture', () => {
    const { entries } = normalizeLines(linesOfCapture(captureNamed('2.1.328/tools')));
    const events = resultEvents(entries);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    assert.deepEqual([count('tool_use'), count('tool_result')], [6, 6]);
    assert.ok(events.every((event, index) => index === 0 || event.timestamp >= (events[index - 1]?.timestamp ?? 0)));
  });
});
