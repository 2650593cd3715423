import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClaudeCodeExecutor, createOutputChunks } from '../../../../src/engine/launch/agentExecutor.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { fakeAgent, prompt, type Step } from '../../../support/fakeAgent/engine.ts';

/** Each gate keeps the agent from printing on until the test has read what came before it. */
describe('output of an agent that prints slowly', () => {
  let folder = '';
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'slow-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const gate = (name: string): string => path.join(folder, name);

  const delta = (text: string): Step => ({
    event: {
      type: 'stream_event',
      session_id: 's',
      parent_tool_use_id: null,
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    },
  });
  const streamed = (event: object): Step => ({
    event: { type: 'stream_event', session_id: 's', parent_tool_use_id: null, event },
  });
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage: {} };

  it('is given as it arrives: the id at once, text as it grows, a tool when it starts and when it ends', async () => {
    const steps = [
      { until: gate('started') },
      { init: true },
      streamed({ type: 'message_start', message }),
      streamed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      delta('one '),
      { until: gate('one') },
      delta('two'),
      { until: gate('two') },
      streamed({ type: 'content_block_stop', index: 0 }),
      { say: 'one two' },
      { tool: { id: 'call', command: 'true' } },
      { until: gate('tool') },
      { toolResult: { id: 'call', text: 'ok' } },
      { until: gate('end') },
      { result: { text: 'one two' } },
    ];
    const executor = new ClaudeCodeExecutor({ program: fakeAgent });
    const spawned = await executor.executeTask({ prompt: prompt(steps), workDir: folder });
    const seen: string[] = [];
    const firsts: number[] = [];
    const open = (name: string): void => {
      if (existsSync(gate(name))) return;
      seen.push(name);
      writeFileSync(gate(name), '');
    };
    for await (const { index, type, content, metadata } of executor.normalizeOutput(
      createOutputChunks(spawned.process),
      folder,
      { exit: spawned.process.exit },
    )) {
      if (!firsts.includes(index)) firsts.push(index);
      // The agent waits for each of these: a reading that comes late would never end.
      if (metadata?.sessionId === spawned.sessionId) open('started');
      if (isText(type) && content.trim() === 'one') open('one');
      if (isText(type) && content === 'one two') open('two');
      if (type.kind === 'tool_use' && ['created', 'running'].includes(type.tool.status)) open('tool');
      if (type.kind === 'tool_use' && type.tool.status === 'success') open('end');
    }
    assert.deepEqual(seen, ['started', 'one', 'two', 'tool', 'end']);
    assert.deepEqual(
      firsts,
      [...firsts].sort((a, b) => a - b),
    );
  });
});

function isText({ kind }: NormalizedEntry['type']): boolean {
  return kind === 'assistant_message';
}
