import * as assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { AgentRequest, Decision } from '../../../../src/model/agent/request.ts';
import type { ToolUse } from '../../../../src/model/transcript/tool.ts';
import { parseFromPage } from '../../../../src/protocol/panel/fromPageSchema.ts';
import { budgets, pageEntry, wholeEntry } from '../../../../src/protocol/panel/pageEntries.ts';
import { StepNumbers } from '../../../../src/model/transcript/steps.ts';

const base = { index: 3, timestamp: '2026-01-02T10:00:00Z', content: 'x' };
const call = (overrides: Partial<ToolUse>): NormalizedEntry => ({
  ...base,
  type: {
    kind: 'tool_use',
    tool: { toolName: 'T', callId: 'c', action: { kind: 'tool' }, status: 'success', ...overrides },
  },
});

describe('entries for the page', () => {
  it('keep a long answer, and truncate a longer one at the limit', () => {
    const answer = (length: number): NormalizedEntry => ({
      ...base,
      type: { kind: 'assistant_message' },
      content: 'a'.repeat(length),
    });
    assert.equal(pageEntry(answer(200_000)).cut, undefined);
    const cut = pageEntry(answer(400_000));
    assert.equal(cut.content.length, budgets.assistant);
    assert.deepEqual(cut.cut, { content: 400_000 });
  });

  it('count bytes, and split no surrogate pair', () => {
    const text = '😀'.repeat(2000);
    const entry = pageEntry(call({ result: { text } }));
    const shown = entry.type.kind === 'tool_use' ? (entry.type.tool.result?.text ?? '') : '';
    assert.equal(Buffer.byteLength(shown), budgets.tool);
    assert.doesNotMatch(shown, /\p{Surrogate}/u);
    assert.deepEqual(entry.cut, { 'result.text': text.length });
  });

  it('truncate inputs, outputs, changes and JSON separately', () => {
    const long = 'y'.repeat(10_000);
    const fields = (overrides: Partial<ToolUse>): string[] => Object.keys(pageEntry(call(overrides)).cut ?? {});
    assert.deepEqual(fields({ action: { kind: 'command_run', command: long, stdout: long } }), [
      'action.command',
      'action.stdout',
    ]);
    assert.deepEqual(fields({ action: { kind: 'file_edit', changes: [{ path: 'a', kind: 'update', patch: long }] } }), [
      'action.changes.0.patch',
    ]);
    assert.deepEqual(fields({ action: { kind: 'mcp', server: 's', tool: 't', input: { long } } }), ['action.input']);
    assert.deepEqual(fields({ result: { data: { long } } }), ['result.data']);
  });

  it('contain each text once: no input next to its action', () => {
    const read = pageEntry(call({ action: { kind: 'file_read', path: 'a' }, input: { file_path: 'a' } }));
    assert.equal(read.type.kind === 'tool_use' && 'input' in read.type.tool, false);
    const run = pageEntry(call({ action: { kind: 'command_run', command: 'ls', stdout: 'a' }, result: { text: 'a' } }));
    assert.deepEqual(run.type.kind === 'tool_use' && run.type.tool.result, {});
    const thought = pageEntry({ ...base, type: { kind: 'thinking', reasoning: 'x' } });
    assert.deepEqual(thought.type, { kind: 'thinking' });
  });

  it('keep agent-specific metadata on system messages only, with keys like __proto__ as data', () => {
    const metadata = JSON.parse(
      '{"sessionId":"s","tools":["Bash"],"__proto__":{"polluted":true}}',
    ) as NormalizedEntry['metadata'];
    const said = pageEntry({ ...base, type: { kind: 'assistant_message' }, metadata });
    assert.deepEqual(said.metadata, { sessionId: 's' });
    const system = pageEntry({ ...base, type: { kind: 'system_message', subtype: 'init' }, metadata });
    assert.deepEqual(Object.keys(system.metadata ?? {}).sort(), ['__proto__', 'sessionId', 'tools']);
    assert.equal(Reflect.get(system.metadata ?? {}, 'polluted'), undefined);
  });
});

describe('requests for the page', () => {
  const command = 'x'.repeat(100_000);
  const request: AgentRequest = {
    id: 'r',
    kind: 'permission',
    title: 'Run',
    action: { kind: 'command_run', command },
    input: { command },
    asked_at: '2026-01-02T10:00:00Z',
    expires_at: '2026-01-02T10:10:00Z',
  };
  const entry = (metadata: NormalizedEntry['metadata']): NormalizedEntry => ({
    ...base,
    type: { kind: 'system_message', subtype: 'request' },
    metadata,
  });

  it('are complete while pending', () => {
    const page = pageEntry(entry({ sessionId: 's', request }));
    assert.deepEqual(page.asked?.request, request);
    assert.deepEqual(page.metadata, { sessionId: 's' });
    assert.equal(page.cut, undefined);
  });

  it('are truncated like calls when decided, and complete on request', () => {
    const decision: Decision = { by: 'user', at: '2026-01-02T10:01:00Z', answer: { kind: 'allow', scope: 'once' } };
    const page = pageEntry(entry({ request, decision }));
    assert.deepEqual(page.cut, { 'action.command': 100_000, input: JSON.stringify(request.input).length });
    assert.deepEqual(page.asked?.decision, decision);
    assert.deepEqual(wholeEntry(entry({ request, decision })).asked?.request, request);
  });

  it('are ordinary entries if invalid', () => {
    const page = pageEntry(entry({ request: { id: 7 } }));
    assert.equal(page.asked, undefined);
    assert.deepEqual(page.metadata, { request: { id: 7 } });
  });
});

describe('numbers of steps', () => {
  const tool = (index: number, callId: string, parentCallId?: string): NormalizedEntry => ({
    ...call({ callId, ...(parentCallId !== undefined && { parentCallId }) }),
    index,
  });

  it('count through the session, below a parent separately, and each entry once', () => {
    const steps = new StepNumbers();
    const numbers = [
      tool(0, 'a'),
      tool(1, 'b', 'a'),
      tool(2, 'c', 'b'),
      tool(3, 'd'),
      tool(4, 'e', 'a'),
      tool(1, 'b', 'a'),
    ];
    assert.deepEqual(
      numbers.map((number) => steps.add(number)),
      ['1', '1.1', '1.1.1', '2', '1.2', '1.1'],
    );
    assert.equal(steps.add({ ...base, type: { kind: 'assistant_message' } }), undefined);
  });

  it('continue from a number, and number a call without its parent separately', () => {
    const steps = new StepNumbers(41);
    assert.equal(steps.add(tool(0, 'a', 'never seen')), '42');
    assert.equal(steps.numberOf(0), '42');
  });
});

describe('messages of the page', () => {
  const parse = (message: unknown) => parseFromPage({ generation: 1, seq: 0, message })?.message;

  it('are validated exactly', () => {
    assert.deepEqual(parse({ type: 'openFile', path: 'a', line: 3, extra: true }), {
      type: 'openFile',
      path: 'a',
      line: 3,
    });
    assert.deepEqual(parse({ type: 'openFile', path: 'a' }), { type: 'openFile', path: 'a' });
    assert.deepEqual(parse({ type: 'command', command: 'rename' }), { type: 'command', command: 'rename' });
    const wrong = [
      { type: 'command', command: 'workbench.action.quit' },
      { type: 'openLink', url: 'command:workbench.action.quit' },
      { type: 'openLink', url: 'file:///etc/passwd' },
      { type: 'getPage', request: 1, from: -1, count: 10 },
      { type: 'getPage', request: 1, from: 0, count: 1e9 },
      { type: 'answer', id: 'r', answer: { kind: 'allow', scope: 'always' } },
      { type: 'answer', id: 'r', answer: { kind: 'deny', reason: 'x'.repeat(20_001) } },
      { type: 'answer', id: 'r', answer: { kind: 'answer', answers: [7] } },
      { type: 'answer', id: 'r', answer: { kind: 'answer', answers: { q: 'a' } } },
      { type: 'answer', id: 'x'.repeat(201), answer: { kind: 'deny' } },
      { type: 'send', text: 'x', how: 'now' },
      { type: 'nothing' },
      null,
    ];
    for (const message of wrong) assert.equal(parse(message), undefined, JSON.stringify(message));
  });
});
